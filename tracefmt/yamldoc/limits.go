package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// These limit the work of the YAML parser, which takes about 35 KB for each level and 600 bytes for each token: a file of
// 100 KB could take 3 GB. A case of a suite has five levels and about 25 tokens, so a suite may have 20,000. A mapping and
// a sequence of documents take time with the square of their length.
const (
	mostDepth  = 100
	mostTokens = 500_000
	mostKeys   = 10_000 // of one mapping
)

// errDocuments is of a file with more than one document.
var errDocuments = errors.New("several documents")

// tokens splits a document, and rejects extreme ones before the parser recurses into them.
func tokens(file string, data []byte) (token.Tokens, error) {
	var (
		s     scanner.Scanner
		list  token.Tokens
		inner nesting
		marks int // --- and ..., one of each in a document
	)
	// The scanner keeps a whole line, so the signs of lists and mappings within lines are counted first. A word goes with
	// each comma.
	if 2*bytes.Count(data, []byte(","))+bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > mostTokens {
		return nil, fmt.Errorf("%s: too long, expected at most %d words and signs", file, mostTokens)
	}
	s.Init(string(data))
	for {
		some, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		for _, t := range some {
			depth, keys := inner.after(t)
			if t.Type == token.DocumentHeaderType || t.Type == token.DocumentEndType {
				marks++
			}
			switch at := t.Position; {
			case depth > mostDepth:
				const deep = "%s:%d:%d: nested too deep, expected at most %d levels of lists and mappings"
				return nil, fmt.Errorf(deep, file, at.Line, at.Column, mostDepth)
			case keys > mostKeys:
				return nil, fmt.Errorf("%s:%d:%d: too many keys, expected at most %d in one mapping", file, at.Line, at.Column, mostKeys)
			case marks > 2:
				return nil, errDocuments
			}
		}
		list.Add(some...)
		if len(list) > mostTokens {
			at := some[len(some)-1].Position
			return nil, fmt.Errorf("%s:%d:%d: too long, expected at most %d words and signs", file, at.Line, at.Column, mostTokens)
		}
	}
}

// nesting follows the depth of lists and mappings: by brackets, and outside of these by the columns at which
// lines and entries begin.
type nesting struct {
	brackets int
	columns  []int // rising
	keys     []int // the number of keys of the mapping at each column
	line     int
}

// after returns the depth after the next token, and the keys of the mapping around it so far.
func (n *nesting) after(t *token.Token) (depth, keys int) {
	switch t.Type {
	case token.CommentType:
		return 0, 0
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets = max(n.brackets-1, 0)
	}
	first := t.Position.Line != n.line
	n.line = t.Position.Line
	if n.brackets == 0 && (first || t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType) {
		column := t.Position.Column
		inner := slices.IndexFunc(n.columns, func(c int) bool { return c >= column })
		if inner >= 0 {
			if n.columns[inner] == column && t.Type != token.SequenceEntryType {
				keys = n.keys[inner]
			}
			n.columns, n.keys = n.columns[:inner], n.keys[:inner]
		}
		keys++
		n.columns, n.keys = append(n.columns, column), append(n.keys, keys)
	}
	return n.brackets + len(n.columns), keys
}
