package yamldoc

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// mostDepth and mostTokens limit the work of the YAML parser, which takes about 35 KB for each level and 600
// bytes for each token: a file of 100 KB could take 3 GB. A case of a suite has five levels and about 25
// tokens.
const (
	mostDepth  = 100
	mostTokens = 4_000_000
)

// tokens splits a document, and rejects extreme ones before the parser recurses into them.
func tokens(file string, data []byte) (token.Tokens, error) {
	var (
		s     scanner.Scanner
		list  token.Tokens
		depth nesting
	)
	s.Init(string(data))
	for {
		some, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		for _, t := range some {
			if depth.after(t) > mostDepth {
				return nil, fmt.Errorf(
					"%s:%d:%d: nested too deep, expected at most %d levels of lists and mappings", file,
					t.Position.Line, t.Position.Column, mostDepth,
				)
			}
		}
		if list.Add(some...); len(list) > mostTokens {
			at := some[len(some)-1].Position
			return nil, fmt.Errorf("%s:%d:%d: too long, expected at most %d words and signs", file, at.Line, at.Column, mostTokens)
		}
	}
}

// nesting follows the depth of lists and mappings: by brackets, and outside of these by the columns at which
// lines and entries begin.
type nesting struct {
	brackets int
	columns  []int // the columns of the open lists and mappings, ascending
	line     int
}

// after returns the depth after the next token.
func (n *nesting) after(t *token.Token) int {
	switch t.Type {
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
			n.columns = n.columns[:inner]
		}
		n.columns = append(n.columns, column)
	}
	return n.brackets + len(n.columns)
}
