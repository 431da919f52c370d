package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"etrace/tracefmt"
)

const (
	// groupRows is the number of rows of a row group, which other programs read at a time.
	groupRows = 1 << 18
	// batchRows is the number of rows that are passed to parquet-go at a time.
	batchRows = 512
	// batchBytes is the number of bytes of payloads after which a batch is passed on early.
	batchBytes = 1 << 20
	// dictionaryBytes is the greatest size of a dictionary of a row group. Beyond it, words are written without a dictionary.
	dictionaryBytes = 1 << 20
)

// Writer is a [tracefmt.Sink] that writes runs as one file. It needs a few hundred bytes of memory for each run, and a few
// thousand for each 262,144 events. The file is complete after Close.
type Writer struct {
	table  *table
	footer footer
	run    labels
	last   int64 // the number of the previous run
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{table: newTable(w, columns, groupRows), footer: footer{Format: Format}}
}

// Begin implements [tracefmt.Sink]. A run whose number is missing or not above that of the previous run gets the next
// number.
func (w *Writer) Begin(run *tracefmt.Run) error {
	header, err := headerOf(run)
	if err != nil {
		return err
	}
	w.last = max(int64(run.Number), w.last+1)
	w.run.begin(w.last, run)
	w.footer.Runs = append(w.footer.Runs, fileRun{Run: w.last, Header: header})
	return nil
}

// Write implements [tracefmt.Sink].
func (w *Writer) Write(e *tracefmt.Event) error {
	if err := w.run.validate(e); err != nil {
		return err
	}
	run := &w.footer.Runs[len(w.footer.Runs)-1]
	run.Events++
	run.Rows++
	return w.table.add(&w.run, e)
}

// Finish implements [tracefmt.Sink].
func (w *Writer) Finish(end tracefmt.End) error {
	w.footer.Runs[len(w.footer.Runs)-1].End = end
	return nil
}

// Close writes the remaining rows and the footer.
func (w *Writer) Close() error { return w.table.close(w.footer) }

// table writes the rows of a file in batches.
type table struct {
	out     *parquet.GenericWriter[any]
	file    *summedWriter
	columns []column
	writers []*parquet.ColumnWriter
	batch   [][]parquet.Value // the values of each column
	arena   []byte            // the payloads of the batch
	rows    int               // rows in the current row group
	limit   int
}

// newTable returns a writer of a table with row groups of at most limit rows.
func newTable(w io.Writer, columns []column, limit int) *table {
	file := newSummedWriter(w)
	out := parquet.NewGenericWriter[any](
		file, parquet.WriteBufferSize(0), schemaOf(columns), parquet.CreatedBy("etrace", Format, ""), parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.DataPageStatistics(false), parquet.SkipPageBounds("type"), parquet.SkipPageBounds("payload"), // these may be long
		parquet.SortingWriterConfig(parquet.SortingColumns(sorting(columns)...)),
	)
	return &table{out: out, file: file, columns: columns, writers: out.ColumnWriters(), batch: make([][]parquet.Value, len(columns)), limit: limit}
}

// sorting returns the columns by which the rows are sorted.
func sorting(columns []column) (by []parquet.SortingColumn) {
	for _, c := range columns {
		if c.name == runColumn || c.name == seqColumn {
			by = append(by, parquet.Ascending(c.name))
		}
	}
	return by
}

// add adds the row of an event. It keeps no reference to the event.
func (t *table) add(run *labels, e *tracefmt.Event) error {
	run.table = t
	for i, c := range t.columns {
		v, level := c.value(run, e), 0
		if c.optional {
			level = 1
			if isNull(v) {
				v, level = parquet.NullValue(), 0
			}
		}
		t.batch[i] = append(t.batch[i], v.Level(0, level, i))
	}
	if len(t.batch[0]) < batchRows && len(t.arena) < batchBytes {
		return nil
	}
	return t.flush()
}

// flush passes the batch to parquet-go. It does not pass an empty batch, because parquet-go takes the address of its first
// value.
func (t *table) flush() error {
	if len(t.batch[0]) == 0 {
		return nil
	}
	for i, w := range t.writers {
		if _, err := w.WriteRowValues(t.batch[i]); err != nil {
			return err
		}
	}
	t.rows += len(t.batch[0])
	for i := range t.batch {
		t.batch[i] = t.batch[i][:0]
	}
	t.arena = t.arena[:0]
	if t.rows < t.limit {
		return nil
	}
	t.rows = 0
	return t.out.Flush()
}

// close writes the remaining rows and the footer.
func (t *table) close(f footer) error {
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.out.Flush(); err != nil { // the checksum covers all rows
		return err
	}
	f.Bytes, f.Body = t.file.bytes, fmt.Sprintf("%08x", t.file.sum)
	text, err := f.text()
	if err != nil {
		return err
	}
	t.out.SetKeyValueMetadata(metadataKey, text)
	return errors.Join(t.out.Close(), t.file.to.Flush())
}

// labels are the number of a run and the names of its processes as values.
type labels struct {
	number    parquet.Value
	processes []parquet.Value // by ProcessID; empty for 0
	table     *table          // the table, whose batch stores the payloads
}

// begin sets the values for a run: its number, and the names of its members.
func (l *labels) begin(number int64, run *tracefmt.Run) {
	l.number = parquet.Int64Value(number)
	l.processes = append(l.processes[:0], parquet.ByteArrayValue(nil))
	for _, m := range run.Members {
		l.processes = append(l.processes, textValue(m.Name))
	}
}

// process returns the name of a process, which becomes null for 0.
func (l *labels) process(p tracefmt.ProcessID) parquet.Value { return l.processes[p] }

// copyPayload copies a payload into the batch and returns its value, which is valid until the batch is flushed.
func (l *labels) copyPayload(payload []byte) parquet.Value {
	t := l.table
	t.arena = append(t.arena, payload...)
	return parquet.ByteArrayValue(t.arena[len(t.arena)-len(payload):])
}

// validate returns an error if no row can express the event.
func (l *labels) validate(e *tracefmt.Event) error {
	switch known := tracefmt.ProcessID(len(l.processes)); {
	case !e.Kind.Valid():
		return fmt.Errorf("seq %d: %v is not an event kind", e.Seq, e.Kind)
	case e.Process < 0 || e.Peer < 0 || e.Process >= known || e.Peer >= known:
		return fmt.Errorf("seq %d: process number out of range, the run has %d processes", e.Seq, known-1)
	}
	return nil
}
