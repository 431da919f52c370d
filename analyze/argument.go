package analyze

import (
	"fmt"

	"etrace/tracefmt"
)

// WithArgument returns the property with a Bind that creates its monitors for an argument, as parsed by parse.
func WithArgument[T any](p Property, parse func(argument string) (T, error),
	monitor func(run *tracefmt.Run, argument T) Monitor,
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
