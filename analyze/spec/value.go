package spec

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// sort is the type of a value. It is a number instead of a Go type, so that a value costs no allocation.
type sort uint8

const (
	absent  sort = iota // a field that the event does not have
	null                // JSON null, and a variable that is not set
	boolean             // n is 0 or 1
	integer
	decimal // n has the bits of the floating point number
	long    // s is a number that neither integer nor decimal represents exactly
	textual // s
	process // n is the process
	compound
)

// value is a value of an expression.
type value struct {
	sort sort
	n    int64
	s    string
}

// number returns an integer.
func number(n int64) value { return value{sort: integer, n: n} }

// decimalOf returns the value of a number that was computed or written as a decimal. A whole number becomes an
// integer, so that equal numbers are equal in Go. It is absent beyond 64 bits, where floating point rounds whole
// numbers.
func decimalOf(f float64) value {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return value{}
	case f != math.Trunc(f):
		return value{sort: decimal, n: int64(math.Float64bits(f))}
	case -1<<63 <= f && f < 1<<63:
		return number(int64(f))
	}
	return value{}
}

// numberValue returns the value of a number of the trace. It is a decimal only if floating point represents it
// exactly.
func numberValue(n tracefmt.Number) value {
	if small, ok := n.Int64(); ok {
		return number(small)
	}
	exact := n.String()
	if !n.Whole() {
		f, err := strconv.ParseFloat(exact, 64)
		if v := decimalOf(f); err == nil && v.sort == decimal && v.number() == n {
			return v
		}
	}
	return value{sort: long, s: exact}
}

// number returns the exact number of a value.
func (v value) number() tracefmt.Number {
	var text [32]byte
	raw := text[:0]
	switch v.sort {
	case decimal:
		raw = strconv.AppendFloat(raw, v.float(), 'g', -1, 64)
	case long:
		raw = append(raw, v.s...)
	default:
		raw = strconv.AppendInt(raw, v.n, 10)
	}
	n, _ := tracefmt.ParseNumber(raw)
	return n
}

// processValue returns the value of a process, absent for 0.
func processValue(p tracefmt.ProcessID) value {
	if p == 0 {
		return value{sort: absent}
	}
	return value{sort: process, n: int64(p)}
}

// float returns the number as a float64, rounded if necessary.
func (v value) float() float64 {
	switch v.sort {
	case decimal:
		return math.Float64frombits(uint64(v.n))
	case long:
		f, _ := strconv.ParseFloat(v.s, 64) // infinite if it is too large
		return f
	}
	return float64(v.n)
}

// isNumber reports whether the value is a number of any sort.
func (v value) isNumber() bool { return v.sort == integer || v.sort == decimal || v.sort == long }

// floats reports whether floating point represents the number exactly.
func (v value) floats() bool {
	return v.sort == decimal || v.sort == integer && -1<<53 <= v.n && v.n <= 1<<53
}

// truth is one of Kleene's three truths: a comparison with an absent value is neither true nor false.
type truth int8

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

// truthOf returns yes or no.
func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// names resolves the names of processes in a run, and keeps texts that recur.
type names struct {
	run   *tracefmt.Run
	size  value // n
	ranks []int64
	// bestKeys are the keys by which the run ranks processes, nil if it does not.
	bestKeys []string
	plain    []value // nil until it is asked for, see [names.plainNames]
	// small is used with plain: every number that names a process is less, unless such numbers are large.
	small int64
	// byValue is nil until it is asked for: it takes 200 bytes a process.
	byValue map[value]tracefmt.ProcessID
	texts   map[string]string
	// nonParticipants has by process whether it is a non-participant; nil until first use.
	nonParticipants []bool
	// byPosition has the processes in the order of their positions; nil until first use.
	byPosition []tracefmt.ProcessID
}

// maxTexts bounds the memory for recurring texts.
const maxTexts = 1 << 12

// newNames returns the names of a run's processes.
func newNames(run *tracefmt.Run) *names {
	return &names{run: run, size: number(int64(run.Size())), bestKeys: run.BestKeys(), texts: make(map[string]string)}
}

// plainNames returns the name of each process as a value: a number or a text. The list is built on first use.
func (n *names) plainNames() []value {
	if n.plain == nil {
		n.plain = make([]value, len(n.run.Members)+1)
		for i, m := range n.run.Members {
			v := n.canonical(value{sort: textual, s: m.Name})
			n.plain[i+1] = v
			if v.sort == integer && v.n < maxSmall {
				n.small = max(n.small, v.n+1)
			}
		}
	}
	return n.plain
}

// rank returns the place of a process in the order of ids. The order is computed on first use.
func (n *names) rank(p tracefmt.ProcessID) int64 {
	if n.ranks == nil {
		n.ranks = replay.Ranks(n.run)
	}
	return n.ranks[p]
}

// process returns the process that a value names, 0 if it names none.
func (n *names) process(v value) tracefmt.ProcessID {
	switch v.sort {
	case process:
		return tracefmt.ProcessID(v.n)
	case integer, long, textual:
		return n.processNamed(v)
	}
	return 0
}

// processNamed returns the process whose name a value is, as a text or as a number.
func (n *names) processNamed(v value) tracefmt.ProcessID {
	if n.byValue == nil {
		n.byValue = make(map[value]tracefmt.ProcessID, len(n.run.Members)+1)
		for i, m := range n.run.Members {
			p := tracefmt.ProcessID(i + 1)
			n.byValue[n.plainNames()[p]], n.byValue[value{sort: textual, s: m.Name}] = p, p
		}
	}
	return n.byValue[v]
}

// canonical returns the form in which equal values are equal in Go: a process becomes the value of its name, and
// a text that is a whole number becomes that number.
func (n *names) canonical(v value) value {
	switch v.sort {
	case process:
		return n.plainNames()[v.n]
	case textual:
		if v.s != "" && v.s[0] <= '9' { // a number begins with a digit or a sign
			if exact, ok := tracefmt.NumberOf(v.s); ok {
				return numberValue(exact)
			}
		}
	}
	return v
}

// equal compares two values. A process equals its name, as text or number; a text equals the number that it spells.
// The result is unknown if a value is absent.
func (n *names) equal(a, b value) truth {
	switch {
	case a.sort == absent || b.sort == absent:
		return unknown
	// Null, conditions and integers are equal if their numbers are.
	case a.sort == b.sort && a.sort <= integer, a.sort == process && b.sort == process:
		return truthOf(a.n == b.n)
	case a.sort == textual && b.sort == textual && a.s == b.s:
		return yes
	case a.sort == null || b.sort == null:
		return no
	}
	return truthOf(n.canonical(a) == n.canonical(b))
}

// compare orders two numbers, two texts, or two processes by their ranks. ok is false for values without an
// order, such as a number and a text.
func (n *names) compare(a, b value) (order int, ok bool) {
	// Exact comparison is slow, so floating point is used where it is exact.
	if a.sort == process || b.sort == process {
		if p, q := n.process(a), n.process(b); p != 0 && q != 0 {
			return cmp.Compare(n.rank(p), n.rank(q)), true
		}
	}
	a, b = n.canonical(a), n.canonical(b)
	switch {
	case a.sort == integer && b.sort == integer:
		return cmp.Compare(a.n, b.n), true
	case a.floats() && b.floats():
		return cmp.Compare(a.float(), b.float()), true
	case a.isNumber() && b.isNumber():
		return a.number().Compare(b.number()), true
	case a.sort == textual && b.sort == textual:
		return strings.Compare(a.s, b.s), true
	}
	return 0, false
}

// parse returns the value of JSON text. The result shares no memory with it.
func (n *names) parse(raw []byte) value {
	if len(raw) == 0 {
		return value{}
	}
	switch raw[0] {
	case '"':
		return value{sort: textual, s: n.unquote(raw)}
	case 't', 'f':
		if raw[0] == 't' {
			return value{sort: boolean, n: 1}
		}
		return value{sort: boolean}
	case 'n':
		return value{sort: null}
	case '{', '[':
		return value{sort: compound, s: n.intern(raw)}
	}
	return parseNumber(raw)
}

// unquote returns the text of a JSON string. A string without a backslash is not parsed.
func (n *names) unquote(raw []byte) string {
	for _, c := range raw {
		if c == '\\' {
			var s string
			_ = json.Unmarshal(raw, &s) // invalid JSON becomes the empty text
			return s
		}
	}
	return n.intern(raw[1:max(1, len(raw)-1)])
}

// intern returns the bytes as a string, and the same string for equal bytes.
func (n *names) intern(b []byte) string {
	if s, ok := n.texts[string(b)]; ok {
		return s
	}
	if len(n.texts) == maxTexts {
		clear(n.texts)
	}
	s := string(b)
	n.texts[s] = s
	return s
}

// parseNumber parses a JSON number; it returns absent for other text.
func parseNumber(raw []byte) value {
	exact, ok := tracefmt.ParseNumber(raw)
	if !ok {
		return value{}
	}
	return numberValue(exact)
}

// format formats a value for people.
func (n *names) format(v value) string {
	switch v.sort {
	case absent:
		return "nothing"
	case null:
		return "null"
	case boolean:
		return strconv.FormatBool(v.n != 0)
	case integer:
		return strconv.FormatInt(v.n, 10)
	case decimal:
		return strconv.FormatFloat(v.float(), 'g', -1, 64)
	case process:
		return shorten(n.run.ProcessName(tracefmt.ProcessID(v.n)))
	}
	return shorten(v.s)
}

// shorten makes a text of a trace fit for an explanation.
func shorten(s string) string {
	return text.Printable(text.Short(s, 65))
}
