package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/tracefmt"
)

// withArgument returns the property with a Bind that gives it the monitors
// which its argument, read by parse, asks for.
func withArgument[T any](p analyze.Property, parse func(argument string) (T, error), monitor func(run *tracefmt.Run, argument T) analyze.Monitor) analyze.Property {
	unbound := p
	p.Bind = func(argument string) (*analyze.Property, error) {
		value, err := parse(argument)
		if err != nil {
			return nil, err
		}
		bound := unbound
		bound.Name = fmt.Sprintf("%s(%s)", p.Name, argument)
		bound.New = func(run *tracefmt.Run) analyze.Monitor { return monitor(run, value) }
		return &bound, nil
	}
	return p
}
