package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Operation is an operation that a client invokes at an instant: "write(5):3@2.5", "read:1". The arguments are
// JSON values in the order of their declaration; a text may lack its quotes.
type Operation struct {
	Name      string
	Arguments []string
	Process   int64
	Time      tracefmt.Time
}

func (o Operation) String() string {
	s := o.Name
	if len(o.Arguments) > 0 {
		s += "(" + strings.Join(o.Arguments, ",") + ")"
	}
	return s + ":" + strconv.FormatInt(o.Process, 10) + "@" + o.Time.String()
}

// parseOperation reads OPERATION(ARGUMENTS):PROCESS@TIME.
func parseOperation(text string) (o Operation, err error) {
	bad := fmt.Errorf("%q: expected OPERATION(ARGUMENTS):PROCESS@TIME, such as write(5):3@2.5 or read:1", text)
	call, client, ok := text, "", false
	if i := strings.LastIndex(text, ":"); i >= 0 {
		call, client, ok = text[:i], text[i+1:], true
	}
	name, arguments, called := strings.Cut(call, "(")
	arguments, closed := strings.CutSuffix(arguments, ")")
	if !ok || called != closed || strings.TrimSpace(name) == "" {
		return o, bad
	}
	o.Name = strings.TrimSpace(name)
	if strings.TrimSpace(arguments) != "" {
		o.Arguments = splitValues(arguments)
	}
	process, when, timed := strings.Cut(client, "@")
	o.Process, err = parseID(strings.TrimSpace(process))
	if err != nil {
		return o, bad
	}
	if timed {
		o.Time, err = network.ParseTime(when)
	}
	return o, err
}

// addOperations adds the operations of clients.
func (b *builder) addOperations(c *sim.Config) {
	for i, o := range b.scenario.Operations {
		b.setPlace("op", i)
		p := b.process(o.Process, o.String())
		arguments, err := c.Protocol.Arguments(o.Name, o.Arguments, b.run.Members)
		if err != nil {
			b.fail(" %s: %w", o, err)
		}
		c.Actions = append(c.Actions, sim.Action{
			Kind: sim.InvokeOperation, Process: p, At: o.Time, Operation: o.Name, Arguments: arguments,
		})
	}
}
