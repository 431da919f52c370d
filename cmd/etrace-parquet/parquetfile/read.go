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

// File is a file of runs. It is read one row group at a time.
type File struct {
	file    *parquet.File
	source  io.ReaderAt
	footer  *footer
	columns []column
	runs    []*Run
	unpack  *zstd.Decoder
	checked []atomic.Bool // row groups whose pages were measured
}

// Run is a run in a file, a [tracefmt.Recording]. Its number is that of the rows. In a file of a folder it is a part of a
// run, see [Merge].
type Run struct {
	file  *File
	run   *tracefmt.Run
	first int64 // the first row
	rows  int64
	names names // in the state before the first event
}

// Open reads the footer of a file of size bytes. It fails for damaged files, and for files without a footer of etrace.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer recoverPanic(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	stated, ok := file.Lookup(metadataKey)
	if !ok {
		return nil, errors.New("a Parquet file that etrace did not write: its footer has no key etrace, which says what the runs are")
	}
	f = &File{file: file, source: r, checked: make([]atomic.Bool, len(file.RowGroups()))}
	f.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		return nil, err
	}
	f.footer, err = parseFooter(stated, file.NumRows())
	if err != nil {
		return nil, err
	}
	if err := f.footer.checkBody(r, size); err != nil {
		return nil, err
	}
	f.columns, err = f.footer.columns()
	if err != nil {
		return nil, err
	}
	if err := checkSchema(file.Root(), f.columns); err != nil {
		return nil, err
	}
	return f, f.addRuns()
}

// addRuns creates the runs from the footer.
func (f *File) addRuns() error {
	row := int64(0)
	for i := range f.footer.Runs {
		entry := &f.footer.Runs[i]
		run, err := entry.describe()
		if err != nil {
			return err
		}
		run.Number = int(entry.Run)
		known := newNames(run)
		known.blank, err = f.footer.blank(&known)
		if err != nil {
			return err
		}
		f.runs = append(f.runs, &Run{f, run, row, entry.Rows, known})
		row += entry.Rows
	}
	return nil
}

// Runs returns the runs in the order of their numbers.
func (f *File) Runs() []*Run { return f.runs }

// checkSchema returns an error if a column of the file differs from the column that a writer would write.
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

// recoverPanic turns a panic into an error: parquet-go panics on some damaged files.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// Run returns the description.
func (r *Run) Run() *tracefmt.Run { return r.run }

// Events implements [tracefmt.Recording]. It does not validate the events; a [tracefmt.Validator] does.
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

// cursorAt returns a cursor at the event with this seq, or at the first event. Without gaps, the row of an event follows
// from its seq; it tries that row.
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

// back moves the cursor back by one event.
func (c *cursor) back() {
	c.at--
	c.left++
	c.row--
}

// cursor reads the rows of a run in order.
type cursor struct {
	run   *Run
	names names
	group int   // the index of the next row group
	skip  int64 // the rows of that group before the cursor
	left  int64 // the remaining rows of the run
	row   int64 // the next row of the file
	rows  parquet.Rows
	batch []parquet.Row
	at, n int // the index of the next row of the batch, and its number of rows
	event tracefmt.Event
}

// cursor returns a cursor at a row of the run, counted from 0.
func (r *Run) cursor(row int64) *cursor {
	at := r.first + row
	c := &cursor{run: r, names: r.names, skip: at, left: r.rows - row, row: at}
	c.names.types = make(map[string]string) // not shared with other cursors
	for _, group := range r.file.file.RowGroups() {
		if c.skip < group.NumRows() {
			break
		}
		c.skip -= group.NumRows()
		c.group++
	}
	return c
}

// next returns the next event, which the following call overwrites; io.EOF after the last event.
func (c *cursor) next() (*tracefmt.Event, error) {
	if c.left == 0 {
		return nil, io.EOF
	}
	if c.at == c.n {
		if err := c.readBatch(); err != nil {
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

// read sets the event of the cursor from a row.
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

// readBatch reads the next batch of rows, from the next row group if the current one is finished.
func (c *cursor) readBatch() (err error) {
	defer recoverPanic(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for {
		if c.rows == nil {
			if err := c.openGroup(); err != nil {
				return err
			}
		}
		if c.batch == nil {
			c.batch = make([]parquet.Row, batchRows)
		}
		c.at = 0
		c.n, err = c.rows.ReadRows(c.batch)
		if c.n > 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("after row %d: %w", c.row, err)
		}
		c.close()
	}
}

// openGroup checks and opens the next row group.
func (c *cursor) openGroup() error {
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

// close closes the current row group.
func (c *cursor) close() {
	if c.rows != nil {
		_ = c.rows.Close() // closing a reader loses nothing
	}
	c.rows = nil
}

// maxTypes is the number of types whose texts are shared.
const maxTypes = 4096

// names converts the texts of rows to the processes, kinds and types of a run.
type names struct {
	number    int64
	processes map[string]tracefmt.ProcessID
	kinds     map[string]tracefmt.Kind
	types     map[string]string
	payload   []byte
	blank     tracefmt.Event // the values that all events of the file have
}

// newNames returns the names of the members of the run and of all kinds of events.
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

// checkRun returns an error if a row belongs to another run.
func (n *names) checkRun(run int64) error {
	if run != n.number {
		return fmt.Errorf("of run %d, expected run %d", run, n.number)
	}
	return nil
}

// process returns the process with the name. It fails if the run has no such process.
func (n *names) process(name []byte) (tracefmt.ProcessID, error) {
	if p, ok := n.processes[string(name)]; ok {
		return p, nil
	}
	return 0, fmt.Errorf("the run has no process %q", name)
}

// kind returns the event kind with the name.
func (n *names) kind(name []byte) (tracefmt.Kind, error) {
	if k, ok := n.kinds[string(name)]; ok {
		return k, nil
	}
	return tracefmt.ParseKind(string(name))
}

// text returns the bytes as a text. Equal texts share memory.
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

// object returns a copy of a payload, which the next call overwrites.
func (n *names) object(b []byte) ([]byte, error) {
	n.payload = append(n.payload[:0], b...)
	return n.payload, nil
}
