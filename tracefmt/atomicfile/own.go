package atomicfile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"regexp"
	"slices"
)

// The parts of a SQLite header by which databases of etrace are recognised.
const (
	sqliteMagic   = "SQLite format 3\x00"
	applicationAt = 68         // the offset of the application id
	application   = 0x45545243 // "ETRC", the id of traces, see package tracedb
	sweepResults  = 0x45545253 // "ETRS", the id of results of a sweep
)

// traceHeader matches the format in the header line of JSON Lines.
var traceHeader = regexp.MustCompile(`"format"\s*:\s*"etrace/`)

// isDatabase reports whether the head of a file is that of a database of an application.
func isDatabase(head []byte, application uint32) bool {
	return bytes.HasPrefix(head, []byte(sqliteMagic)) && len(head) >= applicationAt+4 &&
		binary.BigEndian.Uint32(head[applicationAt:]) == application
}

// unpacked returns the beginning of a gzip file, unpacked; nil for other files.
func unpacked(head []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(r, headSize)) // the file is longer than its head
	return text
}

// isParquet reports whether a file is a trace in Parquet.
func isParquet(head, tail []byte) bool {
	return bytes.HasPrefix(head, []byte("PAR1")) && bytes.Contains(tail, []byte(`{"format":"etrace.parquet/`))
}

// isPart reports whether the head of a file is that of a part, a share or an order of an import. A task that is executed
// again writes it again.
func isPart(head []byte) bool { return bytes.HasPrefix(head, []byte(`{"format":"etrace.import-`)) }

// isText reports whether the head of a file is that of a trace in JSON Lines.
func isText(head []byte) bool {
	head = bytes.TrimLeft(head, "\uFEFF \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("{")) && traceHeader.Match(line)
}

// A mark identifies a file that etrace wrote: by its first bytes, by words near its beginning, and by patterns
// of its beginning and end.
type mark struct {
	begins, has  string
	starts, ends *regexp.Regexp // nil for any beginning or end
	comment      comment        // the syntax of the line with the checksum; zero if the format has no comments
}

// A comment is the syntax of a line comment in a format.
type comment struct{ begin, end string }

var xml = comment{"<!-- ", " -->"}

// firstLine is the mark of formats that allow a comment in the first line.
var firstLine = regexp.MustCompile(`^(\W*)Written by etrace(?: record --hunt |, which may replace it|\W*$)`)

// commentEnds are the ends of comments by their beginnings. Other comments end with the line.
var commentEnds = map[string]string{"<!-- ": " -->", "(* ": " *)", "/* ": " */"}

// Reports of suites begin with a title of any text, so the patterns also match the text after it. A file of notes that
// contains a report is not a file of etrace.
var (
	textReport     = regexp.MustCompile(`\A[^\n]*\n(?:  \S|\n\d+ suites?, \d+ cases?, )`)
	markdownReport = regexp.MustCompile(`\A# [^\n]*\n\n(?:[^#|\n][^\n]*\n\n)*(?:\| case \||\d+ suites?, \d+ cases?, )`)
	lastOfReport   = regexp.MustCompile(`(?:^|\n)\d+ suites?, \d+ cases?, \d+ values?: \d+ ok, \d+ explained, \d+ failed\n$`)
)

// marks are the marks of all outputs of etrace. A drawing program rewrites the root of a picture, and so removes
// its mark.
var marks = []mark{
	{begins: "<?xml", has: `<svg role="img" aria-labelledby="etrace-title`, comment: xml},
	{begins: "<!DOCTYPE html>", has: `<svg role="img" aria-labelledby="etrace-title`, comment: xml},
	{begins: "<!DOCTYPE html>\n<!-- Written by etrace -->", comment: xml},
	{begins: "\x89PNG\r\n\x1a\n", has: "Software\x00Written by etrace"},
	{begins: "%PDF-", ends: regexp.MustCompile(`/Creator \(Written by etrace\)`)},
	{begins: "// Positions are fixed: draw with neato", has: "\ndigraph etrace {", comment: comment{begin: "// "}},
	{begins: "sequenceDiagram\n", has: "\n    accDescr: A sequence diagram of ", comment: comment{begin: "%% "}},
	{begins: "{\n  \"format\": \"etrace."},
	{begins: `<testsuites name="etrace suite"`, comment: xml},
	{starts: textReport, ends: lastOfReport},
	{starts: markdownReport, ends: lastOfReport},
	{begins: "(?<host>", has: "\n=== (?<trace>.*) ===\n=== "},
	{begins: "\n", has: "Written by etrace as TrackEvent"},
	{begins: `{"resourceSpans":[{"resource":`, has: `"scope":{"name":"etrace"}`},
	{begins: `{"run":1,"seq":1,"event":"`, has: `,"payload":{`},
	{begins: "run,seq,time,process,kind,type,peer,message,cause,lamport,term,payload\r\n"},
}

// markOf returns the mark of a file by its beginning and its end, nil if etrace does not recognize it.
func markOf(head, tail []byte) *mark {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if m := firstLine.FindSubmatch(line); m != nil {
		begin := string(m[1])
		return &mark{comment: comment{begin, commentEnds[begin]}}
	}
	i := slices.IndexFunc(marks, func(m mark) bool { return m.matches(head, tail) })
	if i < 0 {
		return nil
	}
	return &marks[i]
}

// matches reports whether a file with this beginning and end has the mark.
func (m *mark) matches(head, tail []byte) bool {
	return bytes.HasPrefix(head, []byte(m.begins)) && bytes.Contains(head, []byte(m.has)) &&
		(m.starts == nil || m.starts.Match(head)) && (m.ends == nil || m.ends.Match(tail))
}
