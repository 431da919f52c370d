package parquetfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// Format is the mark of the format and its version in the footer of a file. Files of the version before have no sums.
const (
	Format   = "etrace.parquet/2"
	unsummed = "etrace.parquet/1"
)

// metadataKey is the key under which the footer has the descriptions of the runs.
const metadataKey = "etrace"

// footer has the descriptions of the runs of a file, which its footer has as JSON.
type footer struct {
	Format string    `json:"format"`
	Runs   []fileRun `json:"runs"`
	// Place is there in a file of a folder, which has a part of a run.
	Place []label `json:"place,omitempty"`
	// Body is of the first Bytes of the file, which have all rows: a CRC-32C in hexadecimal digits.
	Bytes int64  `json:"bytes,omitempty"`
	Body  string `json:"body,omitempty"`
	// Sum is the sum of all the rest of the footer.
	Sum string `json:"sum,omitempty"`
}

// fileRun is a run whose events are rows of the file.
type fileRun struct {
	Run    int64           `json:"run"`
	Header json.RawMessage `json:"header"` // the first line of its text twin
	End    tracefmt.End    `json:"end"`
	Events int64           `json:"events"` // of the run
	Rows   int64           `json:"rows"`   // that the file has of these
}

// label is a column whose value is the same in all rows of a file, so that the file
// leaves it out. An event that has none has none of it.
type label struct {
	Column string `json:"column"`
	Value  string `json:"value"`
}

// headerOf returns the header of a run, as in JSON Lines.
func headerOf(run *tracefmt.Run) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	if err := enc.Begin(run); err != nil {
		return nil, err
	}
	err := enc.Finish(tracefmt.Open) // which adds nothing
	return bytes.TrimSpace(b.Bytes()), err
}

// text sets the sum of the footer and returns its JSON.
func (f *footer) text() (string, error) {
	sum, err := f.sum()
	if err != nil {
		return "", err
	}
	f.Sum = sum
	b, err := sealed.Marshal(f)
	return string(b), err
}

func (f *footer) sum() (string, error) {
	rest := *f
	rest.Sum = ""
	return sealed.Sum(rest)
}

// parseFooter reads what text wrote, of a file that has a number of rows.
func parseFooter(said string, rows int64) (*footer, error) {
	f := new(footer)
	err := sealed.Unmarshal([]byte(said), f)
	if f.Format != Format && f.Format != unsummed && f.Format != "" {
		return nil, fmt.Errorf("format %s, expected %q", text.Quote(text.Short(f.Format, 65)), Format)
	}
	if err != nil {
		return nil, fmt.Errorf("the footer: %w", err)
	}
	sum, err := f.sum()
	switch {
	case err != nil:
		return nil, err
	case f.Format == Format && f.Sum != sum:
		return nil, fmt.Errorf("the footer was changed after it was written: its sum is %s, expected %s", text.Quote(text.Short(f.Sum, 65)), sum)
	}
	last := int64(0)
	for _, r := range f.Runs {
		switch {
		case r.Run <= last:
			return nil, fmt.Errorf("the footer has run %d after run %d, expected ascending numbers", r.Run, last)
		case r.Rows < 0 || r.Rows > rows || r.Events < r.Rows || r.Events > r.Rows && f.Place == nil:
			return nil, fmt.Errorf("run %d: the footer says %d rows of %d events, the file has %d rows", r.Run, r.Rows, r.Events, rows)
		}
		rows -= r.Rows
		last = r.Run
	}
	if rows != 0 {
		return nil, fmt.Errorf("%d rows are of no run", rows)
	}
	return f, nil
}

// checkBody compares the rows of the file, read again, with their sum.
func (f *footer) checkBody(r io.ReaderAt, size int64) error {
	if f.Format == unsummed {
		return nil
	}
	if f.Bytes < 0 || f.Bytes > size {
		return fmt.Errorf("the footer says that the rows take %d bytes, the file has %d", f.Bytes, size)
	}
	body := crc32.New(castagnoli)
	if _, err := io.Copy(body, io.NewSectionReader(r, 0, f.Bytes)); err != nil {
		return err
	}
	if sum := fmt.Sprintf("%08x", body.Sum32()); sum != f.Body {
		return fmt.Errorf("damaged: the sum of the rows is %s, expected %s", sum, text.Quote(text.Short(f.Body, 65)))
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summedWriter is a writer that knows the sum of what was written, in blocks.
type summedWriter struct {
	to    *bufio.Writer
	bytes int64
	sum   uint32
}

func newSummedWriter(w io.Writer) *summedWriter {
	return &summedWriter{to: bufio.NewWriterSize(w, 1<<16)}
}

// Write implements [io.Writer].
func (w *summedWriter) Write(b []byte) (int, error) {
	w.bytes += int64(len(b))
	w.sum = crc32.Update(w.sum, castagnoli, b)
	return w.to.Write(b)
}

// describe is the run that the footer describes.
func (r *fileRun) describe() (*tracefmt.Run, error) {
	run, err := tracefmt.NewDecoder(bytes.NewReader(r.Header)).NextRun()
	if err != nil {
		return nil, fmt.Errorf("run %d: the header: %w", r.Run, err)
	}
	described := *run
	if described.End, err = tracefmt.ParseEnd(string(r.End)); err != nil {
		return nil, fmt.Errorf("run %d: %w", r.Run, err)
	}
	described.Events = r.Events
	return &described, nil
}

// columns are the columns of the file, except those whose values its path contains: the run, and one key.
func (f *footer) columns() ([]column, error) {
	var said []string
	for i, l := range f.Place {
		switch {
		case i == 0 && l.Column == runColumn && len(f.Runs) == 1 && l.Value == strconv.FormatInt(f.Runs[0].Run, 10):
		case i == 1 && slices.Contains(Keys(), l.Column):
		default:
			return nil, fmt.Errorf("the footer says that the %s of all rows is %s, expected the run, and one of %s", text.Quote(text.Short(l.Column, 65)), text.Quote(text.Short(l.Value, 65)), text.Or(Keys()))
		}
		said = append(said, l.Column)
	}
	return without(said), nil
}

// blank sets what the place of the file says of all events.
func (f *footer) blank(run *names) (e tracefmt.Event, err error) {
	for _, l := range f.Place {
		c := columns[slices.IndexFunc(columns, func(c column) bool { return c.name == l.Column })]
		switch {
		case l.Value == "":
			continue
		case c.of == words:
			err = c.take(run, &e, textValue(l.Value))
		default:
			var n int64
			if n, err = strconv.ParseInt(l.Value, 10, 64); err == nil {
				err = c.take(run, &e, parquet.Int64Value(n))
			}
		}
		if err != nil {
			return e, fmt.Errorf("the footer: %s: %w", l.Column, err)
		}
	}
	return e, nil
}
