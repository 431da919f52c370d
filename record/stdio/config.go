package stdio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"time"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Config describes the program, the clients, and the faults of a run.
type Config struct {
	// Command is the program with its arguments, the same for each node.
	Command []string
	// Nodes is the number of nodes; each has a client.
	Nodes int
	// Workload is the name of the clients' requests, one of [Workloads].
	Workload string
	// Until is the time at which the run ends.
	Until time.Duration
	// Lockstep makes time virtual, see the comment of the package.
	Lockstep bool
	// The embedded Config is that of the network between the nodes; the default delay is 5 to 15 ms. The seed also
	// decides the requests.
	network.Config
	// Actions crash and recover nodes and split and heal the network.
	Actions []sim.Action
	// Pauses stop nodes for a while.
	Pauses []Pause
	// Name is the name of the run, Tool the name of the recorder.
	Name, Tool string
	// Journal, unless nil, gets a copy of the journal.
	Journal io.Writer
}

// Pause suspends a node for an interval, as SIGSTOP and SIGCONT do: it keeps its state, and does nothing.
type Pause struct {
	Node     tracefmt.ProcessID
	From, To tracefmt.Time
}

// String returns the pause in the form of the command line.
func (p Pause) String() string { return fmt.Sprintf("pause %d@%v-%v", p.Node, p.From, p.To) }

// maxNodes bounds the number of started processes.
const maxNodes = 200

// usualDelay is the default delay of messages between nodes.
var usualDelay = network.Delay{Distribution: network.Uniform, A: 5e6, B: 15e6}

// validate returns an error for a config that cannot run, before anything is started. It also completes the
// config.
func (c *Config) validate() error {
	var err error
	c.Command, err = findProgram(c.Command)
	if err != nil {
		return err
	}
	if c.Nodes < 1 || c.Nodes > maxNodes {
		return fmt.Errorf("%d nodes, expected 1 to %d", c.Nodes, maxNodes)
	}
	if c.Until <= 0 {
		return fmt.Errorf("until %v, expected a time above 0", c.Until)
	}
	_, err = Workloads.Lookup(c.Workload)
	if err != nil {
		return err
	}
	// Programs run in real time: while a chooser thinks, they would go on.
	if c.Chooser != nil {
		return errors.New("a chooser needs time that stands still")
	}
	if c.Lockstep && !seesWaiting {
		return errors.New("lockstep needs Linux, whose /proc shows when a node waits for input")
	}
	if c.Delay == (network.Delay{}) {
		c.Delay = usualDelay
	}
	for i := range c.Actions {
		a := &c.Actions[i]
		isOfNode := a.Kind <= sim.RecoverProcess // a crash or a recovery
		if a.Kind > sim.HealNetwork || isOfNode && (a.Process < 1 || a.Process > tracefmt.ProcessID(c.Nodes)) {
			return fmt.Errorf("action %d, expected a crash or a recovery of a node, or a split or heal of the network", i+1)
		}
		if err := network.ValidateTimes(a.At); err != nil {
			return err
		}
	}
	for i, p := range c.Pauses {
		if p.Node < 1 || p.Node > tracefmt.ProcessID(c.Nodes) || p.To <= p.From {
			return fmt.Errorf("pause %d, expected a node and a time that ends after it begins", i+1)
		}
		if err := network.ValidateTimes(p.From, p.To); err != nil {
			return err
		}
	}
	return c.Config.Validate(c.Nodes)
}

// findProgram returns the command with the path of its program. It fails if there is no such program.
func findProgram(command []string) ([]string, error) {
	if len(command) == 0 {
		return nil, errors.New("no command, expected a program and its arguments")
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		var failed *exec.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		var file *fs.PathError
		if errors.As(err, &file) {
			err = file.Err
		}
		return nil, fmt.Errorf("%s: %w, expected a program that can be executed", command[0], err)
	}
	return append([]string{path}, command[1:]...), nil
}
