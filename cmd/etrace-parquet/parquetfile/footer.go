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

// metadataKey is the key of the JSON with the descriptions of the runs in the footer of the Parquet file.
const metadataKey = "etrace"

// footer is the JSON in the footer of the Parquet file: the descriptions of its runs.
type footer struct {
	Format string    `json:"format"`
	Runs   []fileRun `json:"runs"`
	// Place has the columns that the file lacks, with their values. Only a file of a folder has it.
	Place []label `json:"place,omitempty"`
	// Bytes is the length of the first part of the file, which has all rows; Body is its CRC-32C in hexadecimal digits.
	Bytes int64  `json:"bytes,omitempty"`
	Body  string `json:"body,omitempty"`
	// Sum is the checksum of the other fields of the footer.
	Sum string `json:"sum,omitempty"`
}

// fileRun is a run whose events are rows of the file.
type fileRun struct {
	Run    int64           `json:"run"`
	Header json.RawMessage `json:"header"` // the header in JSON Lines
	End    tracefmt.End    `json:"end"`
	Events int64           `json:"events"` // the number of events of the run
	Rows   int64           `json:"rows"`   // the number of these events in the file
}

// label is a column that the file omits, because all its rows have the same value. An empty value means null.
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
	err := enc.Finish(tracefmt.Open) // adds no trailer
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

// sum returns the checksum of all other fields.
func (f *footer) sum() (string, error) {
	rest := *f
	rest.Sum = ""
	return sealed.Sum(rest)
}

// parseFooter parses the JSON of a footer. It fails if the checksum is wrong, or if the runs do not have as many rows as the
// file.
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
		case r.Rows < 0, r.Rows > rows, r.Events < r.Rows,
			r.Events > r.Rows && f.Place == nil: // only a file in a folder of parts may have fewer rows than events
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

// checkBody reads the rows of the file, and compares them with their checksum.
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

// summedWriter is a buffered writer that computes the length and the CRC-32C of the written bytes.
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

// describe returns the header of the run, with its end and its number of events.
func (r *fileRun) describe() (*tracefmt.Run, error) {
	run, err := tracefmt.NewDecoder(bytes.NewReader(r.Header)).NextRun()
	if err != nil {
		return nil, fmt.Errorf("run %d: the header: %w", r.Run, err)
	}
	described := *run
	described.End, err = tracefmt.ParseEnd(string(r.End))
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", r.Run, err)
	}
	described.Events = r.Events
	return &described, nil
}

// columns returns the columns of the file: all except those of Place.
func (f *footer) columns() ([]column, error) {
	var names []string
	for i, l := range f.Place {
		switch {
		case i == 0 && l.Column == runColumn && len(f.Runs) == 1 && l.Value == strconv.FormatInt(f.Runs[0].Run, 10):
		case i == 1 && slices.Contains(Keys(), l.Column):
		default:
			return nil, fmt.Errorf("the footer says that the %s of all rows is %s, expected the run, and one of %s", text.Quote(text.Short(l.Column, 65)), text.Quote(text.Short(l.Value, 65)), text.Or(Keys()))
		}
		names = append(names, l.Column)
	}
	return without(names), nil
}

// blank returns an event with the values of Place, which all events of the file have.
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
			n, err = strconv.ParseInt(l.Value, 10, 64)
			if err == nil {
				err = c.take(run, &e, parquet.Int64Value(n))
			}
		}
		if err != nil {
			return e, fmt.Errorf("the footer: %s: %w", l.Column, err)
		}
	}
	return e, nil
}
