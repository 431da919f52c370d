package atomicfile

import (
	"bytes"
	"encoding/binary"
	"regexp"
)

// The header of a SQLite file, and where its application is named in it.
const (
	sqliteMagic   = "SQLite format 3\x00"
	applicationAt = 68
	application   = 0x45545243 // "ETRC", see package tracedb
)

// traceHeader is how the header line of JSON Lines names its format.
var traceHeader = regexp.MustCompile(`"format"\s*:\s*"etrace/`)

// isTrace reports whether a file begins like a trace, whatever its name.
func isTrace(head []byte) bool {
	if bytes.HasPrefix(head, []byte(sqliteMagic)) {
		return len(head) >= applicationAt+4 && binary.BigEndian.Uint32(head[applicationAt:]) == application
	}
	head = bytes.TrimLeft(head, "\uFEFF \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("{")) && traceHeader.Match(line)
}

// A mark is by what a file is known that etrace wrote: how it begins, what it
// has near its beginning, and how it ends.
type mark struct {
	begins, has string
	ends        *regexp.Regexp // nil: anyhow
}

// firstLine is the mark of whatever has room for a comment in its first line.
const firstLine = "Written by etrace"

// marks of what etrace writes. A picture that was changed in a drawing program
// has lost its mark: such programs write the root anew.
var marks = []mark{
	{begins: "<?xml", has: `<svg role="img" aria-labelledby="etrace-title`},
	{begins: "<!DOCTYPE html>", has: `<svg role="img" aria-labelledby="etrace-title`},
	{begins: "// Positions are fixed: draw with neato", has: "\ndigraph etrace {"},
	{begins: "sequenceDiagram\n", has: "\n    accDescr: A sequence diagram of "},
	{begins: "{\n  \"format\": \"etrace."},
	{begins: `<testsuites name="etrace suite"`},
	{ends: regexp.MustCompile(`(?:^|\n)\d+ suites?, \d+ cases?, \d+ values?: \d+ ok, \d+ explained, \d+ failed\n$`)},
	{begins: ".nh\n.TH \"ETRACE"},
}

// isOwn reports whether etrace wrote a file, from its beginning and its end.
func isOwn(head, tail []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.Contains(line, []byte(firstLine)) {
		return true
	}
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.begins)) && bytes.Contains(head, []byte(m.has)) && (m.ends == nil || m.ends.Match(tail)) {
			return true
		}
	}
	return false
}
