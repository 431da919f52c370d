package algorithm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Algorithm is an algorithm of a [Registry]: its protocol, with the facts that etrace needs of it.
type Algorithm struct {
	Name string
	// Doc describes what the algorithm does, and how unclear or missing parts of its source are read. Its
	// first sentence is in lists.
	Doc string
	// Source names the text and the section.
	Source string
	// Problem is the problem that the algorithm solves; see tracefmt.Run.
	Problem string
	// Traits are the promises of the algorithm for its runs, see [tracefmt.Traits].
	// An election has at least one: a property reads these, and never a name.
	Traits []string
	// Role, unless nil, returns the role of process p of 1 to last, "" for none; [tracefmt.MemberRoles] lists
	// the roles that properties know.
	Role func(v Values, p, last tracefmt.ProcessID) string
	// Best are the keys of the best process, see tracefmt.Run; nil if the traits imply them, or if there are
	// none.
	Best []string
	// Basic are the types of the messages of the base computation, and Token the types that carry the token,
	// see tracefmt.Run; nil for none.
	Basic, Token []string
	// Needs is the graph on which the algorithm runs; a scenario with another
	// topology is refused. AnyGraph: its processes send to their neighbours only,
	// and if one does not, that is a mistake.
	Needs Graph
	// FIFO is true if channels must keep the order of messages. With --reorder a run states none of the algorithm's
	// traits and bounds.
	FIFO bool
	// Bounds are the bounds on the messages of a failure-free run with simultaneous starts. Their formulas may use
	// edges, parameters that are numbers, and words of other parameters: variant_isis is 1 if variant is isis, else 0.
	Bounds []tracefmt.Bound
	Params []Param
	// Example is the scenario to record if only the algorithm is named, as keys of a scenario file: "nodes: 4,
	// start: all". "" is that of the lecture notes: of the processes 0 to 7, 7 is down and 4 starts.
	Example string
	// Mutants are faulty variants of the algorithm, which the parameter mutant selects.
	Mutants []Mutant
	// Tolerates are the faults that the algorithm tolerates, [None] if it tolerates none. It is nil if that is
	// unknown; then runs get no remarks about faults.
	Tolerates []Tolerance
	// Suits, unless nil, explains what in a simulation does not fit the values, such as a number of processes
	// for which a parameter has no meaning. It returns nil if all fits.
	Suits func(v Values, c *sim.Config) *Unsuited
	// New returns the protocol for values that Resolve has completed and
	// Number has put into process numbers.
	New func(v Values) *sim.Protocol
}

// Param is a parameter of an algorithm, given by name and text.
type Param struct {
	Name, Doc string
	// Words are the allowed words. The following fields allow other values, too.
	Words []string
	// Time allows a time in units of the mean message delay.
	Time bool
	// Process allows the id of a process, Processes a list of ids.
	Process, Processes bool
	// Number allows a whole number above 0.
	Number  bool
	Default string
	// Waives has, by value, the traits that a run with this value does not state.
	Waives map[string][]string
	// Bounded are the values with which the algorithm's bounds hold, nil for all values.
	Bounded []string
}

// Values are the parameters of one run by name.
type Values map[string]string

// Registry is a list of algorithms by name.
type Registry = text.Registry[*Algorithm]

// NewRegistry returns the registry of these algorithms.
func NewRegistry(algorithms ...*Algorithm) Registry {
	return text.NewRegistry("algorithm", algorithms...)
}

// Key returns the algorithm's name; see [text.Named].
func (a *Algorithm) Key() string { return a.Name }

// Check returns an error for an algorithm without a protocol, or with defaults that its parameters do not
// allow.
func (a *Algorithm) Check() error {
	if a.New == nil {
		return errors.New("expected a function New")
	}
	if err := a.checkMutants(); err != nil {
		return err
	}
	for i := range a.Tolerates {
		if err := a.Tolerates[i].complete(); err != nil {
			return err
		}
	}
	_, err := a.Resolve(nil)
	return err
}

// Resolve returns the value of every parameter: the given one or the default. It fails for an unknown name, and
// for a value that is not allowed.
func (a *Algorithm) Resolve(given map[string]string) (Values, error) {
	v := Values{}
	var names []string
	for _, p := range a.Parameters() {
		names = append(names, p.Name)
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		value, err := p.value(text)
		if err != nil {
			return nil, fmt.Errorf("%w%s", err, cmp.Or(a.conflicting(&p, text), p.meant(text)))
		}
		v[p.Name] = value
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, text.Unknown("parameter of "+a.Name, name, names)
		}
	}
	return v, nil
}

// conflicting explains how to give several values, if the given value seems to contain several, as 1,5 or
// 1..5, or another parameter, as 0,height=1. Otherwise it returns "".
func (a *Algorithm) conflicting(p *Param, given string) string {
	if slices.ContainsFunc(a.Parameters(), func(o Param) bool { return strings.Contains(given, ","+o.Name+"=") }) {
		return "; each parameter is given by itself"
	}
	values, between := strings.Split(given, ","), " "
	if from, end, ok := strings.Cut(given, ".."); ok {
		values, between = []string{from, end}, " ... "
	}
	for i, v := range values {
		value, err := p.value(strings.TrimSpace(v))
		if len(values) == 1 || err != nil {
			return ""
		}
		values[i] = value
	}
	return fmt.Sprintf("; a sweep is given each value by itself, --param %s=%s%s--param %s=%s", p.Name, values[0], between, p.Name, values[1])
}

// Promises returns the traits and the bounds of a run with values that Resolve has returned. A mutant has none.
func (a *Algorithm) Promises(v Values) (traits []string, bounds []tracefmt.Bound) {
	if a.Mutant(v) != nil {
		return nil, nil
	}
	traits, bounds = slices.Clone(a.Traits), a.Bounds
	for _, p := range a.Params {
		waived := p.Waives[v[p.Name]]
		traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(waived, t) })
	}
	if a.Unbounded(v) != nil {
		bounds = nil
	}
	return traits, bounds
}

// Unbounded returns the first parameter with a value for which the algorithm's bounds do not hold; nil if they
// hold or there are no bounds.
func (a *Algorithm) Unbounded(v Values) *Param {
	i := slices.IndexFunc(a.Params, func(p Param) bool { return p.Bounded != nil && !slices.Contains(p.Bounded, v[p.Name]) })
	if i < 0 || len(a.Bounds) == 0 {
		return nil
	}
	return &a.Params[i]
}

// Protocol returns the protocol for values in the form of New. If New panics, which is a mistake of the
// algorithm, it returns an error.
func (a *Algorithm) Protocol(v Values) (pr *sim.Protocol, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a mistake of the algorithm %s, before the run: it panics: %v", a.Name, r)
		}
	}()
	return a.New(v), nil
}

// Number returns the values with process numbers in place of ids, as New needs them. number may fail for an id
// that a parameter names.
func (a *Algorithm) Number(v Values, number func(param string, id int64) tracefmt.ProcessID) Values {
	v = maps.Clone(v)
	for _, p := range a.Params {
		if ids, err := parseIDs(v[p.Name]); p.takesIDs(len(ids)) && err == nil {
			for i, id := range ids {
				ids[i] = int64(number(p.Name, id))
			}
			v[p.Name] = formatIDs(ids)
		}
	}
	return v
}

// value returns the canonical form of a value: a word, a time in units, or ids. It fails for a value that is not
// allowed.
func (p *Param) value(text string) (string, error) {
	if slices.Contains(p.Words, text) {
		return text, nil
	}
	if t, err := network.ParseTime(text); p.Time && err == nil && t > 0 {
		return t.String(), nil
	}
	if ids, err := parseIDs(text); err == nil && p.takesIDs(len(ids)) {
		return formatIDs(ids), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); p.Number && err == nil && n > 0 {
		return strconv.FormatInt(n, 10), nil
	}
	return "", fmt.Errorf("%s %q: expected %s", p.Name, text, p.Allowed())
}

// meant returns the word that is closest to a value that is not allowed, "" if none is close.
func (p *Param) meant(value string) string {
	near := text.Nearest(value, p.Words)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// takesIDs reports whether the value may be a list of n ids.
func (p *Param) takesIDs(n int) bool { return p.Processes || p.Process && n == 1 }

// Allowed describes the allowed values.
func (p *Param) Allowed() string {
	allowed := slices.Clone(p.Words)
	if p.Time {
		allowed = append(allowed, "a time above 0")
	}
	if p.Process {
		allowed = append(allowed, "a process id")
	}
	if p.Processes {
		allowed = append(allowed, "process ids such as 5,6")
	}
	if p.Number {
		allowed = append(allowed, "a whole number above 0")
	}
	return strings.Join(allowed, " or ")
}

// HasParameter reports whether an algorithm of the registry has a parameter of that name.
func HasParameter(r Registry, name string) bool {
	_, ok := r.Find(func(a *Algorithm) bool {
		return slices.ContainsFunc(a.Parameters(), func(p Param) bool { return p.Name == name })
	})
	return ok
}

// Assignments lists assignments of the parameters, for completion by shells: name=word for each word, and
// name= if other values are allowed.
func (a *Algorithm) Assignments() (list []string) {
	for _, p := range a.Parameters() {
		for _, word := range p.Words {
			list = append(list, p.Name+"="+word)
		}
		if p.Time || p.Number || p.Process || p.Processes {
			list = append(list, p.Name+"=")
		}
	}
	return list
}

// On reports whether a parameter with the words on and off is on.
func (v Values) On(name string) bool { return v.Is(name, "on") }

// Time returns a parameter that is a time; ok is false for a word.
func (v Values) Time(name string) (t tracefmt.Time, ok bool) {
	t, err := tracefmt.ParseTime(v[name])
	return t, err == nil
}

// Number returns a parameter that is a number; ok is false for a word.
func (v Values) Number(name string) (n int64, ok bool) {
	n, err := strconv.ParseInt(v[name], 10, 64)
	return n, err == nil
}

// Process returns the process that a parameter names; for a word it returns missing.
func (v Values) Process(name string, missing tracefmt.ProcessID) tracefmt.ProcessID {
	if list := v.Processes(name); len(list) == 1 {
		return list[0]
	}
	return missing
}

// Processes returns the processes that a parameter lists, nil for a word.
func (v Values) Processes(name string) []tracefmt.ProcessID {
	numbers, err := parseIDs(v[name])
	if err != nil {
		return nil
	}
	list := make([]tracefmt.ProcessID, len(numbers))
	for i, n := range numbers {
		list[i] = tracefmt.ProcessID(n)
	}
	return list
}

// Find returns the algorithm with the name. For the name of a problem, the error lists the algorithms of the
// problem.
func Find(r Registry, name string) (*Algorithm, error) {
	a, err := r.Lookup(name)
	if err == nil {
		return a, nil
	}
	var names []string
	for _, a := range r.All() {
		if a.Problem == name {
			names = append(names, a.Name)
		}
	}
	if names != nil {
		err = fmt.Errorf("unknown algorithm %s: that is a problem, whose algorithms are %s", text.Quote(name), strings.Join(names, ", "))
	}
	return nil, err
}

// parseIDs reads ids separated by commas.
func parseIDs(text string) ([]int64, error) {
	var ids []int64
	for part := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseUint(strings.TrimSpace(part), 10, 63)
		if err != nil {
			return nil, err
		}
		ids = append(ids, int64(id))
	}
	return ids, nil
}

func formatIDs(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}
