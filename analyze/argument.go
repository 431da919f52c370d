package analyze

import (
	"fmt"

	"etrace/tracefmt"
)

// WithArgument returns the property with a Bind: it parses the argument, and returns the property whose
// monitors get the parsed value.
func WithArgument[T any](
	p Property, parse func(argument string) (T, error), monitor func(run *tracefmt.Run, argument T) Monitor,
) Property {
	unbound := p
	p.Bind = func(argument string) (*Property, error) {
		value, err := parse(argument)
		if err != nil {
			return nil, err
		}
		bound := unbound
		bound.Name = fmt.Sprintf("%s(%s)", p.Name, argument)
		bound.New = func(run *tracefmt.Run) Monitor { return monitor(run, value) }
		return &bound, nil
	}
	return p
}
