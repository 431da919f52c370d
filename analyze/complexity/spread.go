package complexity

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// spread is a count over several runs of one algorithm and of as many processes.
type spread struct {
	Measure string `json:"measure"`
	// Runs are those that have the measure, Inexact those of them whose count is a bound, since
	// they do not tell everything.
	Runs    int64 `json:"runs"`
	Inexact int64 `json:"inexact,omitempty"`
	// Min and Max are the smallest and the largest value, with the first run that has it; times
	// are in units.
	Min    number `json:"min"`
	MinRun int    `json:"min_run"`
	Max    number `json:"max"`
	MaxRun int    `json:"max_run"`
	// Mean is their exact mean.
	Mean *Mean `json:"mean"`
}

// number is a count, or a time in units, as an exact decimal.
type number struct{ *big.Rat }

// String writes a decimal, which any time in units is, without zeros at its end.
func (n number) String() string {
	if n.IsInt() {
		return n.RatString()
	}
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(9), "0"), ".")
}

// MarshalJSON writes a JSON number.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// likes are runs of one algorithm, or of one mutant of it, and of as many processes, whose times have one unit, with the
// spread of each measure.
type likes struct {
	Algorithm string   `json:"algorithm"`
	Mutant    string   `json:"mutant,omitempty"`
	Processes int      `json:"processes"`
	Runs      int      `json:"runs"`
	Measures  []spread `json:"measures"`

	title string // names algorithm and mutant
	unit  tracefmt.TimeUnit
}

// spreads are those of all algorithms and mutants that have several runs, in the order of the runs.
func spreads(runs []*Stats) (all []likes) {
	type kind struct {
		title     string
		processes int
		unit      tracefmt.TimeUnit
	}
	alike := map[kind][]*Stats{}
	var order []kind
	for _, s := range runs {
		k := kind{s.title, s.Processes, s.timeUnit()}
		if alike[k] == nil {
			order = append(order, k)
		}
		alike[k] = append(alike[k], s)
	}
	for _, k := range order {
		if of := alike[k]; len(of) > 1 {
			all = append(all, likes{cmp.Or(of[0].Algorithm, of[0].Name), of[0].Mutant, k.processes, len(of), spreadOf(of), k.title, k.unit})
		}
	}
	return all
}

// spreadOf is the spread of each measure that a run has.
func spreadOf(runs []*Stats) []spread {
	var all []*spreading
	byName := map[string]*spreading{}
	types := map[string]bool{} // a run without messages of a type has 0 of them
	for _, s := range runs {
		for typ := range s.Messages.ByType {
			types[typ] = true
		}
	}
	for _, s := range runs {
		for _, m := range s.measures(slices.Sorted(maps.Keys(types))) {
			x := byName[m.name]
			if x == nil {
				x = &spreading{spread: spread{Measure: m.name}}
				byName[m.name] = x
				all = append(all, x)
			}
			x.add(s.Run, m)
		}
	}
	slices.SortStableFunc(all, func(a, b *spreading) int { return cmp.Compare(rank(a.Measure), rank(b.Measure)) })
	list := make([]spread, len(all))
	for i, x := range all {
		x.Mean = &Mean{}
		x.Mean.Quo(&x.sum, new(big.Rat).SetInt64(x.Runs))
		list[i] = x.spread
	}
	return list
}

// rank is the place of a measure in reports: that of [boundNames], types after messages.
func rank(measure string) int {
	i := slices.IndexFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == measure })
	if i < 0 {
		return slices.IndexFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == "type" })
	}
	return i
}

type spreading struct {
	spread
	sum big.Rat
}

func (x *spreading) add(run int, m amount) {
	x.sum.Add(&x.sum, m.value)
	if m.inexact {
		x.Inexact++
	}
	if x.Runs++; x.Runs == 1 || m.value.Cmp(x.Min.Rat) < 0 {
		x.Min, x.MinRun = number{m.value}, run
	}
	if x.Runs == 1 || m.value.Cmp(x.Max.Rat) > 0 {
		x.Max, x.MaxRun = number{m.value}, run
	}
}

// amount is a measure of one run.
type amount struct {
	name    string
	value   *big.Rat
	inexact bool
}

// measures are those that the run has, and how many messages of each of the types. What is not known at all it does not have.
func (s *Stats) measures(types []string) (list []amount) {
	add := func(name, bound string, value *big.Rat) {
		if b := s.bounds[bound]; b != untold && b != unmeasured {
			list = append(list, amount{name, value, b != exact})
		}
	}
	whole := func(name string, n int64) { add(name, name, new(big.Rat).SetInt64(n)) }
	m := s.Messages
	whole("messages", m.Sent)
	for _, typ := range types {
		add("type."+typ, "type", new(big.Rat).SetInt64(m.ByType[typ]))
	}
	whole("delivered", m.Delivered)
	whole("lost", m.Lost)
	whole("to_crashed", m.ToCrashed)
	whole("in_flight", m.InFlight)
	whole("depth", s.CausalDepth)
	whole("events", s.Events)
	whole("suspicions", s.Suspicions)
	if s.LastDelivery != nil && !s.sinceEpoch() {
		add("time", "time", s.inUnits(s.delivered))
	}
	if s.LastDecision != nil && !s.sinceEpoch() {
		add("decided", "decided", s.inUnits(s.decided))
	}
	if m.Carried != nil {
		whole("bytes", m.Bytes)
		if m.Bits != nil {
			whole("bits", *m.Bits)
		}
	}
	return list
}

// sinceEpoch reports whether the times of the run count since 1970, so that there is no mean
// of those of several runs.
func (s *Stats) sinceEpoch() bool { return s.of != nil && s.of.SinceEpoch(s.began) }

func (s *Stats) inUnits(t tracefmt.Time) *big.Rat {
	if s.of != nil {
		t = s.of.TimeUnit.Units(t)
	}
	return big.NewRat(int64(t), int64(tracefmt.Unit))
}

// of names the algorithm and its mutant, if it has a name.
func (l *likes) of() string {
	if l.title == "" {
		return ""
	}
	return l.title + ", "
}

// table is the spread of each measure, for people.
func (l *likes) table() *document.Table {
	t := &document.Table{
		Title: fmt.Sprintf("%d runs of %s%s", l.Runs, l.of(), text.Counted(l.Processes, "process", "processes")),
		Head:  []string{"measure", "min", "run", "mean", "max", "run"}, Align: "l",
	}
	for _, m := range l.Measures {
		name := m.Measure
		if unit := timeWords[l.unit][1]; unit != "" && (name == "time" || name == "decided") {
			name += " (" + unit + ")"
		}
		switch {
		case m.Inexact > 0:
			name += fmt.Sprintf(", of which %d are not wholly recorded", m.Inexact)
		case m.Runs < int64(l.Runs):
			name += fmt.Sprintf(", of %d runs", m.Runs)
		}
		t.Add(name, m.Min.String(), fmt.Sprint(m.MinRun), m.Mean.text(), m.Max.String(), fmt.Sprint(m.MaxRun))
	}
	return t
}
