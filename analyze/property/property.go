package property

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/property/broadcast"
	"etrace/analyze/property/consensus"
	"etrace/analyze/property/detection"
	"etrace/analyze/property/election"
	"etrace/analyze/property/mutex"
	"etrace/analyze/property/network"
	"etrace/analyze/property/operation"
	"etrace/analyze/property/raft"
	"etrace/analyze/property/snapshot"
	"etrace/tracefmt/text"
)

// Registry is a list of properties by name.
type Registry struct {
	text.Registry[*analyze.Property]
}

// Builtin returns the registry of the built-in properties.
func Builtin() Registry { return allProperties }

var allProperties = Registry{text.LateRegistry("property",
	func() []*analyze.Property { return append(inRules(), monitors...) })}

// monitors are the properties written in Go.
var monitors = slices.Concat(
	broadcast.Properties,
	consensus.Properties,
	detection.Properties,
	election.Properties,
	mutex.Properties,
	network.Properties,
	operation.Properties,
	raft.Properties,
	snapshot.Properties,
)

// Or returns the registry, or [Builtin] in place of the zero registry.
func Or(r Registry) Registry {
	if r.IsZero() {
		return allProperties
	}
	return r
}

// With returns the registry with more properties. It fails for a missing name, and for a name in use.
func (r Registry) With(more ...*analyze.Property) (Registry, error) {
	longer, err := r.Registry.With(more...)
	return Registry{longer}, err
}

// Default returns the properties that are examined if the user names none: all except stricter variants and those
// with an argument.
func (r Registry) Default() []*analyze.Property {
	return slices.DeleteFunc(r.All(), func(p *analyze.Property) bool { return p.OnRequest || p.Bind != nil })
}

// DefaultAnd returns the properties of [Registry.Default] and those of these names, sorted by name. A named
// property is examined whatever a run promises. The error is that of [Registry.Named].
func (r Registry) DefaultAnd(names ...string) ([]*analyze.Property, error) {
	named, err := r.Named(names...)
	if err != nil {
		return nil, err
	}
	collected := slices.DeleteFunc(r.Default(), func(p *analyze.Property) bool {
		return slices.Contains(names, p.Name)
	})
	for _, p := range named {
		asked := *p
		asked.Presumed, asked.Assumes = nil, nil
		collected = append(collected, &asked)
	}
	slices.SortStableFunc(collected, func(p, q *analyze.Property) int { return strings.Compare(p.Name, q.Name) })
	return collected, nil
}

// Named returns the properties of these names, in the order given. The name of a property with an argument
// includes it: termination-within(20). The error suggests the nearest name.
func (r Registry) Named(names ...string) ([]*analyze.Property, error) {
	var found []*analyze.Property
	for _, name := range names {
		p, err := r.named(name)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

// named returns the property of a name, with the argument in parentheses bound.
func (r Registry) named(s string) (*analyze.Property, error) {
	name, argument, given := strings.Cut(s, "(")
	argument, closed := strings.CutSuffix(argument, ")")
	if given && !closed {
		return nil, fmt.Errorf("property %q: expected a closing parenthesis", s)
	}
	p, err := r.Lookup(name)
	switch {
	// Names with spaces between them are read as one name.
	case err != nil && strings.Contains(strings.TrimSpace(s), " ") && !given:
		return nil, fmt.Errorf("%w; names have commas between them", err)
	case err != nil && text.Nearest(name, r.Names()) == "":
		return nil, fmt.Errorf("%w; etrace list properties shows all", err)
	case err != nil:
		return nil, err
	case p.Bind == nil && given:
		return nil, fmt.Errorf("property %s takes no argument", name)
	case p.Bind == nil:
		return p, nil
	case !given:
		return nil, fmt.Errorf("property %s: expected an argument, %s(%s)", name, name, p.Argument)
	}
	bound, err := p.Bind(argument)
	if err != nil {
		return nil, fmt.Errorf("property %s: %w", s, err)
	}
	return bound, nil
}
