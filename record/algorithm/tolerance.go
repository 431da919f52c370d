package algorithm

import (
	"cmp"
	"errors"

	"etrace/tracefmt"
)

// Tolerance says how many faulty processes an algorithm stands, and what may break with more. A run
// with more is no mistake, it shows what the limit is for: who records it gets a remark.
type Tolerance struct {
	Faults Faults
	// Of is what one of the processes is called whose faults count, such as replica; "" for process.
	Of string
	// Among, unless nil, says which they are, of the processes 1 to last.
	Among func(v Values, p, last tracefmt.ProcessID) bool
	// Most is how many of them may be faulty. The zero Limit is none of its own: Param says it.
	Most Limit
	// Param is the parameter by which the algorithm is told how many it is to stand, "" for none.
	Param string
	// Breaks says what may happen with more, "" where there cannot be.
	Breaks string
	// Overstated says what may happen where Param is more than Most though no more are faulty, "" for
	// nothing: it may be as great as one likes.
	Overstated string
	// Source names the text that says so.
	Source string
}

// Faults are those that a [Tolerance] counts.
type Faults uint8

const (
	// Crashes counts the processes that crash during the run.
	Crashes Faults = iota
	// Down counts those that are down at one time, since the beginning or a crash.
	Down
	// AnyFault counts those that are Byzantine, crash or are down, at any time.
	AnyFault
)

// Limit is how many of n processes may be faulty.
type Limit struct {
	// Doc says it in words, such as less than half.
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

// Possible is how many faulty ones of n processes the algorithm can stand, whatever it is told.
func (t *Tolerance) Possible(n int) int64 {
	if t.Most.Of == nil {
		return int64(n)
	}
	return int64(t.Most.Of(n))
}

// Told is how many it is told to stand; ok is false if it is not.
func (t *Tolerance) Told(v Values) (f int64, ok bool) { return v.Number(t.Param) }

// Limit is how many faulty ones of n processes it stands with these values.
func (t *Tolerance) Limit(v Values, n int) int64 {
	if f, told := t.Told(v); told {
		return min(f, t.Possible(n))
	}
	return t.Possible(n)
}

// Name is what one of the processes is called.
func (t *Tolerance) Name() string { return cmp.Or(t.Of, "process") }

// faults say of one process, and of several, what each kind is.
var faults = [...]struct{ one, several string }{
	Crashes:  {"crashes", "crash"},
	Down:     {"is down", "are down"},
	AnyFault: {"is Byzantine or down", "are Byzantine or down"},
}

// Suffer says of so many processes that they have such a fault: "are down".
func (f Faults) Suffer(n int) string {
	if n == 1 {
		return faults[f].one
	}
	return faults[f].several
}

// Amount says in words how many are stood: "f, less than a third".
func (t *Tolerance) Amount() string {
	if t.Param != "" && t.Most.Doc != "" {
		return t.Param + ", " + t.Most.Doc
	}
	return cmp.Or(t.Param, t.Most.Doc)
}

// complete says what is missing.
func (t *Tolerance) complete() error {
	if t.Amount() == "" || (t.Breaks == "") != (t.Most.Doc == All.Doc) || t.Source == "" {
		return errors.New("faults that it stands: expected how many, what may break with more, and the source")
	}
	return nil
}
