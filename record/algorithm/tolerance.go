package algorithm

import (
	"cmp"
	"errors"

	"etrace/tracefmt"
)

// Tolerance is the number of faulty processes that an algorithm tolerates, and the consequence of more. A run with more
// is allowed, since it shows the purpose of the limit; its recording gets a remark.
type Tolerance struct {
	Faults Faults
	// Of is the name of a counted process, such as replica; "" for process.
	Of string
	// Among, unless nil, selects the counted processes from 1 to last.
	Among func(v Values, p, last tracefmt.ProcessID) bool
	// Most is the greatest number of faulty processes. The zero Limit means that only Param limits the number.
	Most Limit
	// Param is the parameter that sets how many faults the algorithm must tolerate, "" for none.
	Param string
	// Breaks describes the consequence of more faults, "" if there cannot be more.
	Breaks string
	// Overstated describes the consequence of a Param greater than Most without more faults, "" for none:
	// Param may then have any value.
	Overstated string
	// Source names the text that proves it.
	Source string
}

// Faults is the kind of faults that a [Tolerance] counts.
type Faults uint8

const (
	// Crashes counts the processes that crash during the run.
	Crashes Faults = iota
	// Down counts the processes that are down at one time, since the beginning or a crash.
	Down
	// AnyFault counts the processes that are Byzantine, crash or are down, at any time.
	AnyFault
)

// Limit is the greatest number of faulty processes among n.
type Limit struct {
	// Doc describes the limit in words, such as less than half.
	Doc string
	Of  func(n int) int
}

// The limits.
var (
	None           = Limit{"none", func(int) int { return 0 }}
	All            = Limit{"any number", func(n int) int { return n }}
	LessThanHalf   = Limit{"less than half", func(n int) int { return (n - 1) / 2 }}
	LessThanAThird = Limit{"less than a third", func(n int) int { return (n - 1) / 3 }}
)

// Possible returns the greatest tolerable number of faulty processes among n, for any value of Param.
func (t *Tolerance) Possible(n int) int64 {
	if t.Most.Of == nil {
		return int64(n)
	}
	return int64(t.Most.Of(n))
}

// Bound returns the value of Param; ok is false if there is no such parameter.
func (t *Tolerance) Bound(v Values) (f int64, ok bool) { return v.Number(t.Param) }

// Limit returns the number of faulty processes among n that the algorithm tolerates with these values.
func (t *Tolerance) Limit(v Values, n int) int64 {
	if f, limited := t.Bound(v); limited {
		return min(f, t.Possible(n))
	}
	return t.Possible(n)
}

// Name returns the name of a counted process.
func (t *Tolerance) Name() string { return cmp.Or(t.Of, "process") }

// faults describe the state of one process, and of several, for each kind.
var faults = [...]struct{ singular, several string }{
	Crashes:  {"crashes", "crash"},
	Down:     {"is down", "are down"},
	AnyFault: {"is Byzantine or down", "are Byzantine or down"},
}

// Suffer returns the fault of n processes in words: "are down".
func (f Faults) Suffer(n int) string {
	if n == 1 {
		return faults[f].singular
	}
	return faults[f].several
}

// Amount returns the limit in words: "f, less than a third".
func (t *Tolerance) Amount() string {
	if t.Param != "" && t.Most.Doc != "" {
		return t.Param + ", " + t.Most.Doc
	}
	return cmp.Or(t.Param, t.Most.Doc)
}

// complete returns an error for a missing part.
func (t *Tolerance) complete() error {
	if t.Amount() == "" || (t.Breaks == "") != (t.Most.Doc == All.Doc) || t.Source == "" {
		return errors.New("faults that it tolerates: expected how many, what may break with more, and the source")
	}
	return nil
}
