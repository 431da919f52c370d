package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"etrace/tracefmt"
)

// Magic has the first bytes of a Parquet file.
const Magic = "PAR1"

// File is a file of runs, which is read row group by row group.
type File struct {
	file    *parquet.File
	from    io.ReaderAt
	footer  *footer
	columns []column
	runs    []*Run
	unpack  *zstd.Decoder
	checked []atomic.Bool // row groups whose pages were measured
}

// Run is a run in a file, a [tracefmt.Recording]. Its Number is the one that the rows have.
// In a file of a folder it is the part of a run that the file has, see [Merge].
type Run struct {
	file  *File
	run   *tracefmt.Run
	first int64 // row
	rows  int64
	names names // as they are before the first event
}

// Open reads the footer of a file of size bytes. Files that others wrote, with no footer of
// etrace, are refused.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer mend(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	said, ok := file.Lookup(metadataKey)
	if !ok {
		return nil, errors.New("a Parquet file that etrace did not write: its footer has no key etrace, which says what the runs are")
	}
	f = &File{file: file, from: r, checked: make([]atomic.Bool, len(file.RowGroups()))}
	if f.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
		return nil, err
	}
	if f.footer, err = parseFooter(said, file.NumRows()); err != nil {
		return nil, err
	}
	if err := f.footer.checkBody(r, size); err != nil {
		return nil, err
	}
	if f.columns, err = f.footer.columns(); err != nil {
		return nil, err
	}
	if err := checkSchema(file.Root(), f.columns); err != nil {
		return nil, err
	}
	return f, f.describe()
}

// describe finds the runs.
func (f *File) describe() error {
	row := int64(0)
	for i := range f.footer.Runs {
		said := &f.footer.Runs[i]
		run, err := said.describe()
		if err != nil {
			return err
		}
		run.Number = int(said.Run)
		known := newNames(run)
		if known.blank, err = f.footer.blank(&known); err != nil {
			return err
		}
		f.runs = append(f.runs, &Run{f, run, row, said.Rows, known})
		row += said.Rows
	}
	return nil
}

// Runs returns the runs, by ascending numbers.
func (f *File) Runs() []*Run { return f.runs }

// checkSchema says which column is not as it is written here.
func checkSchema(root *parquet.Column, columns []column) error {
	found := root.Columns()
	for i, c := range columns {
		kind := parquet.Int64
		if c.of == words {
			kind = parquet.ByteArray
		}
		if i >= len(found) || found[i].Name() != c.name {
			return fmt.Errorf("column %d: expected %s", i+1, c.name)
		}
		if is := found[i]; !is.Leaf() || is.Repeated() || is.Optional() != c.optional || is.Type().Kind() != kind {
			return fmt.Errorf("column %s: expected values of %s", c.name, kind)
		}
	}
	if len(found) > len(columns) {
		return fmt.Errorf("%d columns, expected %d", len(found), len(columns))
	}
	return nil
}

// mend makes an error of a panic: parquet-go has some about files that are damaged.
func mend(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// Run returns the description.
func (r *Run) Run() *tracefmt.Run { return r.run }

// Events implements [tracefmt.Recording]. The events are as the file has them: whether they make a
// run is for a [tracefmt.Validator] to say.
func (r *Run) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		c := r.cursorAt(from)
		defer c.close()
		for {
			e, err := c.next()
			switch {
			case err == io.EOF:
				return
			case err == nil && e.Seq < from:
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// cursorAt returns a cursor not after the event of that seq, which is as many rows from the
// first as its seq says, unless the run has gaps.
func (r *Run) cursorAt(from tracefmt.Seq) *cursor {
	if ahead := int64(from) - 1; 0 < ahead && ahead < r.rows {
		c := r.cursor(ahead)
		if e, err := c.next(); err == nil && e.Seq == from {
			c.back()
			return c
		}
		c.close()
	}
	return r.cursor(0)
}

// back makes the event that was read last the next one again.
func (c *cursor) back() {
	c.at--
	c.left++
	c.row--
}

// cursor reads the rows of a run one after another.
type cursor struct {
	run   *Run
	names names
	group int   // the next one
	skip  int64 // rows of it that are of runs before
	left  int64 // rows of the run
	row   int64 // of the file, the next one
	rows  parquet.Rows
	batch []parquet.Row
	at, n int // of the batch: the next, and how many there are
	event tracefmt.Event
}

// cursor returns one at a row of the run, from 0.
func (r *Run) cursor(row int64) *cursor {
	at := r.first + row
	c := &cursor{run: r, names: r.names, skip: at, left: r.rows - row, row: at}
	c.names.types = make(map[string]string) // of its own
	for _, group := range r.file.file.RowGroups() {
		if c.skip < group.NumRows() {
			break
		}
		c.skip -= group.NumRows()
		c.group++
	}
	return c
}

// next returns the next event, which the one after it reuses; io.EOF after the last.
func (c *cursor) next() (*tracefmt.Event, error) {
	if c.left == 0 {
		return nil, io.EOF
	}
	if c.at == c.n {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	row := c.batch[c.at]
	c.at++
	c.left--
	c.row++
	if err := c.read(row); err != nil {
		return nil, fmt.Errorf("row %d: %w", c.row, err)
	}
	return &c.event, nil
}

// read makes an event of a row.
func (c *cursor) read(row parquet.Row) error {
	e := &c.event
	*e = c.names.blank
	columns := c.run.file.columns
	if len(row) != len(columns) {
		return fmt.Errorf("%d values, expected %d", len(row), len(columns))
	}
	for i := range columns {
		if row[i].IsNull() {
			continue
		}
		if err := columns[i].take(&c.names, e, row[i]); err != nil {
			return err
		}
	}
	return nil
}

// fill reads the next rows of a group, or the first ones of the next.
func (c *cursor) fill() (err error) {
	defer mend(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for {
		if c.rows == nil {
			if err := c.open(); err != nil {
				return err
			}
		}
		if c.batch == nil {
			c.batch = make([]parquet.Row, batchRows)
		}
		c.at = 0
		if c.n, err = c.rows.ReadRows(c.batch); c.n > 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("after row %d: %w", c.row, err)
		}
		c.close()
	}
}

// open begins the next group.
func (c *cursor) open() error {
	all := c.run.file.file.RowGroups()
	if c.group == len(all) {
		return fmt.Errorf("the file ends after row %d, expected %d more", c.row, c.left)
	}
	if err := c.run.file.checkGroup(c.group); err != nil {
		return err
	}
	c.rows = all[c.group].Rows()
	c.group++
	skip := c.skip
	c.skip = 0
	return c.rows.SeekToRow(skip)
}

// close gives the group up that is read.
func (c *cursor) close() {
	if c.rows != nil {
		_ = c.rows.Close() // nothing was written
	}
	c.rows = nil
}

// maxTypes bounds how many different types are remembered.
const maxTypes = 4096

// names finds what a run calls its processes, kinds and types.
type names struct {
	number    int64
	processes map[string]tracefmt.ProcessID
	kinds     map[string]tracefmt.Kind
	types     map[string]string
	payload   []byte
	blank     tracefmt.Event // what the place of the file says of all events
}

func newNames(run *tracefmt.Run) names {
	n := names{
		number: int64(run.Number), processes: make(map[string]tracefmt.ProcessID, len(run.Members)),
		kinds: make(map[string]tracefmt.Kind), types: make(map[string]string),
	}
	for i, m := range run.Members {
		n.processes[m.Name] = tracefmt.ProcessID(i + 1)
	}
	for _, k := range tracefmt.Kinds() {
		n.kinds[k.String()] = k
	}
	return n
}

// is checks the number of the run that a row is of.
func (n *names) is(run int64) error {
	if run != n.number {
		return fmt.Errorf("of run %d, expected run %d", run, n.number)
	}
	return nil
}

func (n *names) process(name []byte) (tracefmt.ProcessID, error) {
	if p, ok := n.processes[string(name)]; ok {
		return p, nil
	}
	return 0, fmt.Errorf("the run has no process %q", name)
}

func (n *names) kind(name []byte) (tracefmt.Kind, error) {
	if k, ok := n.kinds[string(name)]; ok {
		return k, nil
	}
	return tracefmt.ParseKind(string(name))
}

func (n *names) text(b []byte) (string, error) {
	s, ok := n.types[string(b)]
	if !ok {
		s = string(b)
		if len(n.types) < maxTypes {
			n.types[s] = s
		}
	}
	return s, nil
}

// object returns a payload in memory that the next one uses again.
func (n *names) object(b []byte) ([]byte, error) {
	n.payload = append(n.payload[:0], b...)
	return n.payload, nil
}
