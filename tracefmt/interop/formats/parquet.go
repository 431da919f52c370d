package formats

import (
	"bytes"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/parquetfile"
)

// partitionOption makes writeParquet write a folder.
const partitionOption = "partition"

// parquet is a run as a table by columns, for engines that read such.
var parquet = interop.Format{
	Name:     "parquet",
	Doc:      "a table of the events by columns, packed by zstd, for pyarrow, DuckDB and Spark: lossless, the header is in the footer",
	Describe: describeParquet,
	Source:   "Apache Parquet 2.x, parquet.thrift; github.com/parquet-go/parquet-go",
	Detect:   detectParquet,
	Read:     readParquet,
	Joins:    true,
	Write:    writeParquet,
	Folder:   func(v interop.Values) bool { return v.Value(partitionOption) != "" },
	WriteOptions: []interop.Option{
		{
			Name: partitionOption, Arg: "COLUMNS", Check: parquetfile.CheckKeys,
			Doc: "write a folder with a file for each value of the COLUMNS: run, or run and one more, such as run,type",
		},
	},
	Keeps:   interop.Everything,
	Returns: interop.Everything,
}

func describeParquet() string {
	return `Columns: ` + strings.Join(parquetfile.Columns(), ", ") + `. Numbers are 64 bits wide,
the others texts, payload one of JSON; what an event lacks is null. Rows are in the order of run and
seq, in row groups of 262,144, packed by zstd. Under the key etrace the footer has the headers
and the ends of the runs, as JSON.

--partition run,type writes a folder with a file for each run and type, run=1/type=PING/part-0.parquet, as Spark and
DuckDB read them; run alone, and process, kind, peer and term besides, are others. The columns in the names of
folders are not in the files. import takes the files of a folder together.

Everything survives: a run that is exported and imported is the same bytes of jsonl. Files that others
wrote, or wrote anew without that key, are refused.
`
}

// detectParquet looks for the mark at the beginning.
func detectParquet(head []byte) interop.Confidence {
	return interop.CertainIf(bytes.HasPrefix(head, []byte(parquetfile.Magic)))
}

func writeParquet(w *interop.Writing, runs []tracefmt.Recording) error {
	if w.Create != nil {
		out, err := parquetfile.NewFolder(w.Create, w.Value(partitionOption))
		if err != nil {
			return err
		}
		return copyAll(out, runs)
	}
	out := parquetfile.NewWriter(w)
	if err := copyAll(out, runs); err != nil {
		return err
	}
	return out.Close()
}

func copyAll(to tracefmt.Sink, runs []tracefmt.Recording) error {
	for _, run := range runs {
		if err := tracefmt.Copy(to, run, nil); err != nil {
			return err
		}
	}
	return nil
}

// readParquet streams: of a file that turns out to be damaged, the sink has got the part
// before the damage.
func readParquet(r *interop.Reading) error {
	var files []*parquetfile.File
	for more := true; more; more = r.Next() {
		at, size, err := r.At()
		if err != nil {
			return err
		}
		file, err := parquetfile.Open(at, size)
		if err != nil {
			return r.Errorf(0, "%w", err)
		}
		files = append(files, file)
	}
	runs, err := parquetfile.Merge(files)
	if err != nil {
		return r.Errorf(0, "%w", err)
	}
	for _, run := range runs {
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
	if end == tracefmt.Open && !run.Slice {
		to.Note("the run has no end: it was cut, or was still being recorded")
	}
	return to.Finish(end)
}
