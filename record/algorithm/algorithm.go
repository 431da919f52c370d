// Package algorithm holds the algorithms that etrace simulates, one file each.
// The rules are those of the source texts, read as literally as they can be;
// where a text is silent or its readings differ, a parameter says which
// reading is taken.
//
// Process numbers stand for the processes in ascending order of their ids: a
// greater number is a better process. When a process sends to several others,
// it does so in ascending order.
package algorithm

import (
	"fmt"
	"slices"
	"strings"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Algorithm is one entry of the registry.
type Algorithm struct {
	Name string
	// Doc says what the algorithm does, which reading is taken, and where the
	// text is silent. Its first sentence stands in lists.
	Doc string
	// Source names the text and the section.
	Source string
	// Problem is what it solves; see tracefmt.Run.
	Problem string
	Params  []Param
	// New returns the protocol for values that Resolve has completed.
	New func(v Values) *sim.Protocol
}

// Param is a parameter of an algorithm, given by name and text.
type Param struct {
	Name, Doc string
	// Words are the values allowed beside a time.
	Words []string
	// Time: the value may also be a time in units of the mean message delay.
	Time    bool
	Default string
}

// Values are the parameters of one run by name.
type Values map[string]string

// all is in the order of the names.
var all = []*Algorithm{
	&bullyAlgorithm,
	&changRobertsAlgorithm,
	&ringAlgorithm,
}

// All returns every algorithm, sorted by name.
func All() []*Algorithm { return slices.Clone(all) }

// Lookup returns the algorithm of that name. The error suggests the nearest.
func Lookup(name string) (*Algorithm, error) {
	names := make([]string, len(all))
	for i, a := range all {
		if a.Name == name {
			return a, nil
		}
		names[i] = a.Name
	}
	return nil, tracefmt.Unknown("algorithm", name, names)
}

// Resolve returns the value of every parameter: the given one or the default.
// It refuses names that the algorithm does not have and values that it does
// not allow.
func (a *Algorithm) Resolve(given map[string]string) (Values, error) {
	v := Values{}
	var names []string
	for _, p := range a.Params {
		names = append(names, p.Name)
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		value, err := p.value(text)
		if err != nil {
			return nil, err
		}
		v[p.Name] = value
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, tracefmt.Unknown("parameter of "+a.Name, name, names)
		}
	}
	return v, nil
}

// value returns the one form of a value: a word, or a time in units.
func (p *Param) value(text string) (string, error) {
	if slices.Contains(p.Words, text) {
		return text, nil
	}
	if t, err := sim.ParseTime(text); p.Time && err == nil && t > 0 {
		return t.String(), nil
	}
	return "", fmt.Errorf("%s %q: expected %s", p.Name, text, p.Allowed())
}

// Allowed says which values the parameter takes.
func (p *Param) Allowed() string {
	allowed := slices.Clone(p.Words)
	if p.Time {
		allowed = append(allowed, "a time above 0")
	}
	return strings.Join(allowed, " or ")
}

// on reports whether a parameter with the words on and off is on.
func (v Values) on(name string) bool { return v[name] == "on" }

// time returns a parameter that is a time; ok is false for a word.
func (v Values) time(name string) (t tracefmt.Time, ok bool) {
	t, err := tracefmt.ParseTime(v[name])
	return t, err == nil
}

// onOff is the words of a switch.
var onOff = []string{"on", "off"}

// The words of role, in the order of their numbers.
const (
	follower = iota
	leader
)

func declareRole(pr *sim.Protocol) sim.Word {
	return pr.Word("role", "what the process holds itself for", "follower", "leader")
}
