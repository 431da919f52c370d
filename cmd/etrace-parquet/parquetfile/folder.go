package parquetfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

const (
	// maxParts is the greatest number of files of a run; all are open at the same time.
	maxParts = 256
	// leastGroup is the least number of rows of a row group of a part. All parts of a run together buffer about as many rows as
	// one file.
	leastGroup = 4096
	// maxName is the greatest length of the name of a folder in bytes.
	maxName = 255
)

// Keys returns the columns by which a run may be split into files. They have few different values.
func Keys() []string { return []string{"process", "kind", "type", "peer", "term"} }

// CheckKeys returns an error unless keys is run, or run and one of [Keys], such as run,type.
func CheckKeys(keys string) error {
	first, second, both := strings.Cut(keys, ",")
	switch {
	case first != runColumn:
		return fmt.Errorf("%s: expected run, or run and one of the columns %s", text.Quote(keys), text.Or(Keys()))
	case both && !slices.Contains(Keys(), second):
		return text.Unknown("column", second, Keys())
	}
	return nil
}

// Folder is a [tracefmt.Sink] that writes a file for each run or, with a key, for each value of the key in a run. The
// folders of a file name these values, such as run=1/type=PING. Other programs read the files as one table. The files lack
// the columns that the folders name.
type Folder struct {
	create func(name string) (io.WriteCloser, error)
	key    *column // nil: a file for each run
	run    labels
	entry  fileRun
	parts  map[string]*part // by value of the key
	last   int64
	made   summary
}

// Summary is the name of the file in a folder that lists its runs. Spark, Hive and DuckDB skip such a name.
const Summary = "_runs.json"

// summary is the content of that file.
type summary struct {
	Format string  `json:"format"`
	Runs   []int64 `json:"runs"`
}

// CheckSummary returns an error if a run that the content of a [Summary] lists is not among the numbers of the runs.
func CheckSummary(content []byte, runs []int64) error {
	var s summary
	if err := sealed.Unmarshal(content, &s); err != nil {
		return fmt.Errorf("%s: %w", Summary, err)
	}
	for _, run := range s.Runs {
		if !slices.Contains(runs, run) {
			return fmt.Errorf("%s lists run %d, expected its files", Summary, run)
		}
	}
	return nil
}

// part is a file with some of the events of a run.
type part struct {
	*table
	file  io.WriteCloser
	place []label
	rows  int64
}

// NewFolder returns a Folder that splits by keys, see [CheckKeys]. It creates its files with create; their names contain
// slashes.
func NewFolder(create func(name string) (io.WriteCloser, error), keys string) (*Folder, error) {
	if err := CheckKeys(keys); err != nil {
		return nil, err
	}
	f := &Folder{create: create}
	if _, key, both := strings.Cut(keys, ","); both {
		f.key = &columns[slices.IndexFunc(columns, func(c column) bool { return c.name == key })]
	}
	return f, nil
}

// Begin implements [tracefmt.Sink].
func (f *Folder) Begin(run *tracefmt.Run) (err error) {
	f.last = max(int64(run.Number), f.last+1)
	f.run.begin(f.last, run)
	f.entry = fileRun{Run: f.last}
	f.parts = make(map[string]*part)
	f.entry.Header, err = headerOf(run)
	return err
}

// Write implements [tracefmt.Sink].
func (f *Folder) Write(e *tracefmt.Event) error {
	if err := f.run.validate(e); err != nil {
		return err
	}
	p, err := f.part(e)
	if err != nil {
		return err
	}
	f.entry.Events++
	p.rows++
	return p.add(&f.run, e)
}

// part returns the file for an event, and creates it at its first event. It fails if the key has more than maxParts values.
func (f *Folder) part(e *tracefmt.Event) (*part, error) {
	value := ""
	if f.key != nil {
		switch v := f.key.value(&f.run, e); {
		case isNull(v): // value stays empty
		case v.Kind() == parquet.Int64:
			value = strconv.FormatInt(v.Int64(), 10)
		default:
			value = string(v.ByteArray())
		}
	}
	p := f.parts[value]
	if p != nil {
		return p, nil
	}
	if len(f.parts) == maxParts {
		return nil, fmt.Errorf("seq %d: %s has more than %d values in run %d, expected a column of fewer", e.Seq, f.key.name, maxParts, f.last)
	}
	p = &part{place: []label{{runColumn, strconv.FormatInt(f.last, 10)}}}
	if f.key != nil {
		p.place = append(p.place, label{f.key.name, value})
	}
	if err := p.begin(f.create); err != nil {
		return nil, err
	}
	f.parts[value] = p
	for _, p := range f.parts {
		p.limit = max(leastGroup, groupRows/len(f.parts))
	}
	return p, nil
}

// begin creates the file of the part in the folders of its labels.
func (p *part) begin(create func(string) (io.WriteCloser, error)) (err error) {
	var names []string
	name := ""
	for _, l := range p.place {
		folder := l.folder()
		if len(folder) > maxName {
			return fmt.Errorf("%s %s is too long for the name of a folder", l.Column, text.Quote(text.Short(l.Value, 65)))
		}
		names = append(names, l.Column)
		name = path.Join(name, folder)
	}
	if p.file, err = create(path.Join(name, "part-0.parquet")); err != nil {
		return err
	}
	p.table = newTable(p.file, without(names), groupRows)
	return nil
}

// nothing is the value that Hive writes in the name of a folder for null.
const nothing = "__HIVE_DEFAULT_PARTITION__"

// folder returns the name of the folder of a label in the form of Hive: characters that a file system may refuse are written
// as % and two digits.
func (l *label) folder() string {
	if l.Value == "" {
		return l.Column + "=" + nothing
	}
	var b strings.Builder
	for i := range len(l.Value) {
		if c := l.Value[i]; c < ' ' || c == 0x7f || strings.IndexByte(`"#%'*/:=?\{}[]^|<>`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return l.Column + "=" + b.String()
}

// Finish implements [tracefmt.Sink]: it completes the files of the run. A run without events has one file, in the folder of
// its number.
func (f *Folder) Finish(end tracefmt.End) error {
	f.entry.End = end
	if len(f.parts) == 0 {
		p := &part{place: []label{{runColumn, strconv.FormatInt(f.last, 10)}}}
		f.parts[""] = p
		if err := p.begin(f.create); err != nil {
			return err
		}
	}
	for _, p := range f.sorted() {
		entry := f.entry
		entry.Rows = p.rows
		if err := p.close(footer{Format: Format, Runs: []fileRun{entry}, Place: p.place}); err != nil {
			return errors.Join(err, p.file.Close())
		}
		if err := p.file.Close(); err != nil {
			return err
		}
	}
	f.made.Runs = append(f.made.Runs, f.last)
	return nil
}

// Close writes the list of the runs, after the last run.
func (f *Folder) Close() error {
	f.made.Format = Format
	content, err := sealed.Marshal(f.made)
	if err != nil {
		return err
	}
	file, err := f.create(Summary)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// sorted returns the parts in the order of their values.
func (f *Folder) sorted() []*part {
	all := make([]*part, 0, len(f.parts))
	for _, p := range f.parts {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *part) int {
		return cmp.Compare(a.place[len(a.place)-1].Value, b.place[len(b.place)-1].Value)
	})
	return all
}
