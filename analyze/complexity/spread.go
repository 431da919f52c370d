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

// spread is a count over several runs with the same algorithm and number of processes.
type spread struct {
	Measure string `json:"measure"`
	// Runs is the number of runs with the measure. Inexact is the number of runs whose count is only a bound,
	// since their recordings are incomplete.
	Runs    int64 `json:"runs"`
	Inexact int64 `json:"inexact,omitempty"`
	// Min and Max are the minimum and the maximum, with the first runs that have these values; times are in
	// units.
	Min    number `json:"min"`
	MinRun int    `json:"min_run"`
	Max    number `json:"max"`
	MaxRun int    `json:"max_run"`
	// Mean is the exact mean.
	Mean *Mean `json:"mean"`
}

// number is a count, or a time in units, as an exact decimal.
type number struct{ *big.Rat }

// String writes a decimal without zeros at its end. Every time in units is a decimal.
func (n number) String() string {
	if n.IsInt() {
		return n.RatString()
	}
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(9), "0"), ".")
}

// MarshalJSON writes a JSON number.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// similarRuns are runs with the same algorithm or mutant, the same number of processes and the same unit of
// time, with the spread of each measure.
type similarRuns struct {
	Algorithm string   `json:"algorithm"`
	Mutant    string   `json:"mutant,omitempty"`
	Processes int      `json:"processes"`
	Runs      int      `json:"runs"`
	Measures  []spread `json:"measures"`

	title string // names algorithm and mutant
	unit  tracefmt.TimeUnit
}

// spreads returns the spreads of all algorithms and mutants with several runs, in the order of the runs.
func spreads(runs []*Stats) (list []similarRuns) {
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
		if group := alike[k]; len(group) > 1 {
			list = append(
				list,
				similarRuns{
					Algorithm: cmp.Or(group[0].Algorithm, group[0].Name), Mutant: group[0].Mutant,
					Processes: k.processes, Runs: len(group),
					Measures: spreadOf(group), title: k.title, unit: k.unit,
				},
			)
		}
	}
	return list
}

// spreadOf returns the spread of each measure that a run has.
func spreadOf(runs []*Stats) []spread {
	var found []*spreadSum
	byName := map[string]*spreadSum{}
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
				x = &spreadSum{spread: spread{Measure: m.name}}
				byName[m.name] = x
				found = append(found, x)
			}
			x.add(s.Run, m)
		}
	}
	slices.SortStableFunc(found, func(a, b *spreadSum) int { return cmp.Compare(rank(a.Measure), rank(b.Measure)) })
	list := make([]spread, len(found))
	for i, x := range found {
		x.Mean = &Mean{}
		x.Mean.Quo(&x.sum, new(big.Rat).SetInt64(x.Runs))
		list[i] = x.spread
	}
	return list
}

// rank is the position of a measure in reports: that in [boundNames], with types after messages.
func rank(measure string) int {
	i := slices.IndexFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == measure })
	if i < 0 {
		return slices.IndexFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == "type" })
	}
	return i
}

// spreadSum is a spread whose mean is still being computed.
type spreadSum struct {
	spread
	sum big.Rat
}

// add adds the measure of a run.
func (x *spreadSum) add(run int, m amount) {
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

// measures returns the known measures of the run, including the number of messages of each given type.
func (s *Stats) measures(types []string) (list []amount) {
	add := func(name, bound string, value *big.Rat) {
		if b := s.bounds[bound]; b != notRecorded && b != unmeasured {
			list = append(list, amount{name, value, b != exact})
		}
	}
	count := func(name string, n int64) { add(name, name, new(big.Rat).SetInt64(n)) }
	m := s.Messages
	count("messages", m.Sent)
	for _, typ := range types {
		add("type."+typ, "type", new(big.Rat).SetInt64(m.ByType[typ]))
	}
	count("delivered", m.Delivered)
	count("lost", m.Lost)
	count("to_crashed", m.ToCrashed)
	count("in_flight", m.InFlight)
	count("depth", s.CausalDepth)
	count("events", s.Events)
	count("suspicions", s.Suspicions)
	if s.LastDelivery != nil && !s.ofClock() {
		add("time", "time", s.inUnits(s.delivered))
	}
	if s.LastDecision != nil && !s.ofClock() {
		add("decided", "decided", s.inUnits(s.decided))
	}
	if m.Carried != nil {
		count("bytes", m.Bytes)
		if m.Bits != nil {
			count("bits", *m.Bits)
		}
	}
	return list
}

// ofClock reports whether the times of the run are those of a clock, since 1970 or, without a date, since midnight: a
// run that counts from its beginning has its first event within a minute. A mean over several runs has no meaning for
// such times.
func (s *Stats) ofClock() bool {
	return s.run != nil && timeOfDay(s.run, s.began)
}

// timeOfDay reports whether the times of a run that begins at the given time are those of a clock.
func timeOfDay(run *tracefmt.Run, began tracefmt.Time) bool {
	return run.TimeUnit == tracefmt.Nanoseconds && began >= 60*tracefmt.Unit
}

// inUnits returns a time in time units, exactly.
func (s *Stats) inUnits(t tracefmt.Time) *big.Rat {
	if s.run != nil {
		t = s.run.TimeUnit.Units(t)
	}
	return big.NewRat(int64(t), int64(tracefmt.Unit))
}

// name returns the algorithm and its mutant before a comma; "" without a name.
func (l *similarRuns) name() string {
	if l.title == "" {
		return ""
	}
	return l.title + ", "
}

// table returns the spread of each measure, for people.
func (l *similarRuns) table() *document.Table {
	t := &document.Table{
		Title: fmt.Sprintf("%d runs of %s%s", l.Runs, l.name(), text.Counted(l.Processes, "process", "processes")),
		Head:  []string{"measure", "min", "run", "mean", "max", "run"}, Align: "l",
	}
	for _, m := range l.Measures {
		name := m.Measure
		if unit := timeWords[l.unit][1]; unit != "" && (name == "time" || name == "decided") {
			name += " (" + unit + ")"
		}
		switch {
		case m.Inexact > 0:
			name += fmt.Sprintf(", %d of these runs are partially recorded", m.Inexact)
		case m.Runs < int64(l.Runs):
			name += fmt.Sprintf(", of %d runs", m.Runs)
		}
		t.Add(name, m.Min.String(), fmt.Sprint(m.MinRun), m.Mean.text(), m.Max.String(), fmt.Sprint(m.MaxRun))
	}
	return t
}
