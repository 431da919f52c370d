package formats

import (
	"bytes"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/parquetfile"
)

// parquet is a run as a table by columns, for engines that read such.
var parquet = interop.Format{
	Name:     "parquet",
	Doc:      "a table of the events by columns, packed by zstd, for pyarrow, DuckDB and Spark: lossless, the header is in the footer",
	Describe: describeParquet,
	Source:   "Apache Parquet 2.x, parquet.thrift; github.com/parquet-go/parquet-go",
	Detect:   detectParquet,
	Read:     readParquet,
	Write:    writeParquet,
	Lossless: true,
}

func describeParquet() string {
	return `Columns: ` + strings.Join(parquetfile.Columns(), ", ") + `. Numbers are 64 bits wide,
the others texts, payload one of JSON; what an event lacks is null. Rows are in the order of run and
seq, in row groups of 262,144, packed by zstd. Under the key etrace the footer has the headers
and the ends of the runs, as JSON.

Everything survives: a run that is exported and imported is the same bytes of jsonl. Files that others
wrote, or wrote anew without that key, are refused.
`
}

// detectParquet looks for the mark at the beginning.
func detectParquet(head []byte) interop.Confidence {
	if bytes.HasPrefix(head, []byte(parquetfile.Magic)) {
		return interop.Sure
	}
	return interop.No
}

func writeParquet(w *interop.Writing, runs []tracefmt.Recording) error {
	out := parquetfile.NewWriter(w)
	for _, run := range runs {
		if err := tracefmt.Copy(out, run, nil); err != nil {
			return err
		}
	}
	return out.Close()
}

// readParquet streams: of a file that turns out to be damaged, the sink has got the part
// before the damage.
func readParquet(r *interop.Reading) error {
	at, size, err := r.At()
	if err != nil {
		return err
	}
	file, err := parquetfile.Open(at, size)
	if err != nil {
		return r.Errorf(0, "%w", err)
	}
	for _, run := range file.Runs() {
		if err := passRun(r, run); err != nil {
			return r.Errorf(0, "%w", err)
		}
	}
	return nil
}

// passRun hands a run on as it is.
func passRun(r *interop.Reading, rec tracefmt.Recording) error {
	run := *rec.Run() // which the sink may change
	to, err := r.Pass(&run)
	if err != nil {
		return err
	}
	end := rec.Run().End
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if err := to.Write(e); err != nil {
			return err
		}
	}
	if end == tracefmt.Open {
		to.Note("the run has no end: it was cut, or was still being recorded")
	}
	return to.Finish(end)
}
