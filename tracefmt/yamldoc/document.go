package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Document is the syntax tree of a YAML file, for readers whose errors name
// file, line and column.
type Document struct {
	File string
	Root ast.Node
}

// Parse reads the single YAML document of a file; keys are examples of its keys, for errors.
func Parse(file string, data []byte, keys string) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s:%s: expected UTF-8", file, firstInvalid(data))
	}
	if bytes.HasPrefix(data, []byte(`{"format":"etrace/`)) {
		return nil, fmt.Errorf("%s:1:1: is a trace, expected a YAML document with keys such as %s", file, keys)
	}
	list, err := tokens(file, data)
	several := fmt.Errorf("%s:1:1: expected one YAML document with keys such as %s", file, keys)
	if errors.Is(err, errDocuments) {
		return nil, several
	}
	if err != nil {
		return nil, err
	}
	doc, err := parser.Parse(list, 0)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			pos := syntax.Token.Position
			return nil, fmt.Errorf("%s:%d:%d: %s", file, pos.Line, pos.Column, syntaxMessage(syntax.Message))
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Docs) != 1 || doc.Docs[0].Body == nil {
		return nil, several
	}
	return &Document{file, doc.Docs[0].Body}, nil
}

// firstInvalid returns line and column of the first byte that is not UTF-8.
func firstInvalid(data []byte) string {
	line, column := 1, 1
	for remaining := data; len(remaining) > 0; {
		r, size := utf8.DecodeRune(remaining)
		switch {
		case r == utf8.RuneError && size == 1:
			return fmt.Sprintf("%d:%d", line, column)
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		remaining = remaining[size:]
	}
	return fmt.Sprintf("%d:%d", line, column)
}

// Place returns the place of a node as "file:line:column".
func (d *Document) Place(n ast.Node) string {
	pos := n.GetToken().Position
	return fmt.Sprintf("%s:%d:%d", d.File, pos.Line, pos.Column)
}

// Errorf returns an error at the place of a node.
func (d *Document) Errorf(at ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %w", d.Place(at), fmt.Errorf(format, args...))
}

// Entries returns the entries of a mapping; YAML uses different types for a mapping of one entry and of
// several.
func (d *Document) Entries(n ast.Node) ([]*ast.MappingValueNode, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, d.Errorf(n, "expected keys and values, such as algorithm: bully")
}

// Text returns the text of a value as written, so that files and flags use the same parsers.
func (d *Document) Text(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	case *ast.AliasNode:
		return "", d.Errorf(n, "a value that begins with * must be quoted, such as '*:4>*'")
	}
	return "", d.Errorf(n, "expected a text or a number, found %s", strings.ToLower(n.Type().String()))
}

// Texts returns the texts of a list or of a single value; see [Document.Text].
func (d *Document) Texts(n ast.Node) (texts []string, err error) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, node := range nodes {
		text, err := d.Text(node)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}
