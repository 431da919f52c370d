package history

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"

	"etrace/tracefmt/interop"
)

// EDN reads histories in EDN: a vector or a list of maps, or maps one after another.
var EDN = interop.Format{
	Name:        "edn",
	Doc:         "histories of operations in EDN: Jepsen, Knossos, porcupine's key-value stores",
	Describe:    func() string { return describeEDN + describeBoth },
	Source:      "github.com/edn-format/edn; jepsen-io/knossos at 9b2c79e93c60, README.md; anishathalye/porcupine at 55508eb201b3",
	Detect:      detectEDN,
	Read:        readEDN,
	ReadOptions: []interop.Option{conventionOption},
}

const describeEDN = `An entry is a map with :type, :process, :f and :value; :key, :time (nanoseconds) and :error are optional:

  {:process 1, :type :invoke, :f :cas, :value [1 4]}
  {:process 1, :type :ok, :f :cas, :value [1 4]}

The entries form a vector or a list, or follow one another. Without :time, times are logical: 1, 2, 3, ...

`

// describeBoth describes the events that entries become, in both forms of histories.
const describeBoth = `The order is that of the file, which is real time. An :invoke is an invoke, :ok, :fail and :info are
returns: it took effect, it had none, that is not known. A process that is a keyword, such as
:nemesis, makes faults: its entries are notes of no process. A process that ends an operation
with :info is not used again by Jepsen; that is no crash: the log does not record one.

Known to properties are read, write and cas of a register, get, put and append of a key-value
store, acquire and release of a lock. Where all values of a register are pairs of a key and a
value, each key is a register of its own.
`

var signOfEDN = regexp.MustCompile(`:type[\s,]+:(?:invoke|ok|fail|info)\b`)

func detectEDN(head []byte) interop.Confidence { return interop.SureIf(signOfEDN.Match(head)) }

// readEDN reads a history in EDN. A file that ends inside an entry is read without this entry.
func readEDN(r *interop.Reading) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	h := newHistory(r, func(line int, text string) entry {
		s := scanner{text: text, line: line}
		f, _ := s.next(0) // cannot fail: the first pass has read the entry
		return newEntry(f, line, text)
	})
	s := entryScanner{scanner: scanner{text: text, line: 1}}
	for {
		e, err := s.nextEntry()
		switch {
		case err == nil:
			h.add(&e)
		case err == io.EOF:
			h.addRun()
			return nil
		case err == errCut:
			b := h.addRun()
			b.Find("whole-file", s.began, "the file ends inside an entry, which is left out")
			b.Gap("", 0)
			return nil
		default:
			return r.Errorf(s.line, "%w", err)
		}
	}
}

// entryScanner reads the maps of a history, which may be in one collection.
type entryScanner struct {
	scanner
	open  byte // the bracket that ends the collection, 0 outside
	began int  // the line of the last entry
}

// nextEntry returns the next entry. Its sort is empty if the value is not an entry.
func (s *entryScanner) nextEntry() (entry, error) {
	if err := s.enterCollection(); err != nil {
		return entry{}, err
	}
	s.began, s.forms = s.line, 0
	from := s.at
	f, err := s.next(0)
	if err != nil {
		return entry{}, cutIfEOF(err)
	}
	return newEntry(f, s.began, s.text[from:s.at]), nil
}

// enterCollection moves to the next map: into the collection, or out of it.
func (s *entryScanner) enterCollection() error {
	for {
		err := s.skip(0)
		if err == io.EOF && s.open != 0 {
			s.began, err = s.line, errCut
		}
		if err != nil {
			return err
		}
		switch c := s.text[s.at]; {
		case c == s.open:
			s.open = 0
		case s.open == 0 && (c == '[' || c == '('):
			s.open = closers[c]
		default:
			return nil
		}
		s.at++
	}
}

// newEntry returns the map f as an entry.
func newEntry(f form, line int, text string) entry {
	e := entry{line: line, text: text}
	if f.sort() != mapping {
		return e
	}
	sort, _ := f.field("type")
	process, named := f.field("process")
	function, ok := f.field("f")
	if !named || !ok || !slices.Contains(sorts, sort.name()) {
		return e
	}
	e.typ, e.operation = sort.name(), function.name()
	e.process, e.fault = processOf(process)
	e.value = form{text: "nil"}
	for i := 0; i < len(f.items()); i += 2 {
		e.setField(f.items()[i].name(), f.items()[i+1])
	}
	return e
}

// processOf returns the name of a process, and whether it makes faults. Clients have numbers; a process that
// makes faults has a keyword such as :nemesis.
func processOf(f form) (name string, fault bool) { return f.name(), f.keyword() != "" }

// setField sets the field of the entry that a key names.
func (e *entry) setField(key string, f form) {
	switch key {
	case "type", "process", "f": // read before
	case "value":
		e.value = f
	case "key":
		e.key = &f
	case "time":
		if ns, err := strconv.ParseInt(f.text, 10, 64); err == nil {
			e.time = time.Unix(0, ns)
			return
		}
		fallthrough
	default:
		e.failed = e.failed || key == "error" && !f.isNil()
		e.extra = append(e.extra, interop.JSON(key, f.json()))
	}
}
