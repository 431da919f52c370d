package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxAnswer is the greatest size of an answer in bytes, as the JSON of its result.
	maxAnswer = 8 << 10
	// pageSize is the greatest size of its text; the rest of an answer has keys and the cursor.
	pageSize = maxAnswer - 512
	// maxOutput is the number of bytes of the output of a command that are stored.
	maxOutput = 1 << 20
	// maxAnswers is the number of stored answers; further pages of an older answer cannot be read.
	maxAnswers = 8
	// maxError is the greatest size of an error in bytes.
	maxError = 1 << 10
)

// output stores the beginning of the output of a command. It is safe for concurrent use, because an abandoned command may
// still print.
type output struct {
	mu   sync.Mutex
	text strings.Builder
	left int // the number of bytes that were not stored
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	keep := min(len(b), maxOutput-o.text.Len())
	o.text.Write(b[:keep])
	o.left += len(b) - keep
	return len(b), nil
}

// String returns the stored text, with a remark on the number of bytes that were not stored.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.ToValidUTF8(o.text.String(), "\uFFFD")
	if o.left > 0 {
		text += fmt.Sprintf("\n%d more bytes were left out: ask for less, such as a part of the run\n", o.left)
	}
	return text
}

// answers stores the latest long answers for requests of their further pages.
type answers struct {
	mu    sync.Mutex
	last  int // the number of the newest answer
	texts [maxAnswers]answer
}

// answer is the whole result of a call.
type answer struct {
	number int
	call   string // the tool and its arguments
	text   string
}

var errCursor = errors.New("cursor: expected the one that this call, with the same arguments, returned last; answers are kept for the next few calls")

// first returns the first page of a new answer, and stores the answer if it has further pages.
func (a *answers) first(call, text string) *mcp.CallToolResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	kept := answer{a.last, call, text}
	if pageEnd(text) < len(text) {
		a.texts[a.last%maxAnswers] = kept
	}
	return kept.page(0)
}

// next returns the page that a cursor names. It fails if the cursor belongs to another call, or if the answer is no longer
// stored.
func (a *answers) next(call, cursor string) (*mcp.CallToolResult, error) {
	var number, from int
	if n, err := fmt.Sscanf(cursor, "%d.%d", &number, &from); n != 2 || err != nil || number < 0 {
		return nil, errCursor
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := a.texts[number%maxAnswers]
	if kept.number != number || kept.call != call || from <= 0 || from >= len(kept.text) || kept.cursor(from) != cursor {
		return nil, errCursor
	}
	return kept.page(from), nil
}

// cursor names the page that begins at a byte: NUMBER.BYTE.
func (k answer) cursor(from int) string { return fmt.Sprintf("%d.%d", k.number, from) }

// page returns the page that begins at a byte. If further text follows, a second content has its cursor.
func (k answer) page(from int) *mcp.CallToolResult {
	to := from + pageEnd(k.text[from:])
	content := []mcp.Content{&mcp.TextContent{Text: strings.ToValidUTF8(k.text[from:to], "\uFFFD")}}
	if to < len(k.text) {
		more := fmt.Sprintf("bytes %d to %d of %d; the same call with this cursor continues: %s", from, to, len(k.text), k.cursor(to))
		content = append(content, &mcp.TextContent{Text: more})
	}
	return &mcp.CallToolResult{Content: content}
}

// pageEnd returns the length of the first page of the text. The page ends after a complete line, unless the line is longer
// than a page.
func pageEnd(text string) int {
	line, size := 0, 0
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		size += escapedSize(r)
		if size > pageSize {
			if line > 0 {
				return line
			}
			return i
		}
		i += width
		if r == '\n' {
			line = i
		}
	}
	return len(text)
}

// escapedSize returns the number of bytes of a rune in JSON.
func escapedSize(r rune) int {
	b, _ := json.Marshal(string(r)) // cannot fail for a text
	return len(b) - len(`""`)
}

// oneLine returns the text on one line. A long text keeps its beginning, which names the place, and its end, which has the
// reason.
func oneLine(text string) string {
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if half := maxError / 2; len(line) > 2*half {
		line = strings.ToValidUTF8(line[:half]+" … "+line[len(line)-half:], "")
	}
	return line
}
