package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"etrace/analyze/complexity"
	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/record/stdio"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// execFlags are the flags of record --exec.
type execFlags struct {
	given    func() bool // whether the user gave a command, even an empty one
	command  string
	workload string
	lockstep bool
	pauses   []string
}

const (
	// usualNodes is the default number of nodes, usualEnd the default time after which they are stopped.
	usualNodes = 5
	usualEnd   = 10 * time.Second
	// usualWorkload is the default workload.
	usualWorkload = "echo"
)

func (f *execFlags) flags(cmd *cobra.Command) {
	f.given = func() bool { return cmd.Flags().Changed("exec") }
	cmd.Flags().StringVar(&f.command, "exec", "", "run this `COMMAND` for each node")
	workloads := joined(stdio.Workloads.Names())
	cmd.Flags().StringVar(&f.workload, "workload", "", "requests of clients, a `NAME` (default "+usualWorkload+"): "+workloads)
	cmd.Flags().BoolVar(&f.lockstep, "lockstep", false, "one message at a time, in virtual time: repeatable")
	cmd.Flags().StringArrayVar(&f.pauses, "pause", nil, "suspend (SIGSTOP) and resume: `NODE@FROM-TO`")
	complete(cmd, "workload", stdio.Workloads.Names)
}

// recordExec runs a program as each node and records the messages. After an interrupt it keeps the recorded events,
// in a run that is marked as stopped.
func (a *app) recordExec(ctx context.Context, f *recordFlags, args []string) error {
	config, err := f.execConfig(args)
	if err != nil {
		return err
	}
	w, err := a.createRuns(f.out)
	if err != nil {
		return err
	}
	defer w.Discard()
	if f.out != tracefile.Stream {
		defer a.keepPartialResult()()
	}
	counted := &complexity.Sink{Sink: &recordSink{
		Sink: w, bar: a.progress("recording events", 0), alone: true, complete: f.complete.completeness,
	}}
	if f.exec.workload == "" {
		a.note("the workload is %s, since no --workload is given", config.Workload)
	}
	report, err := stdio.Record(ctx, config, counted)
	advised := func(err error) error {
		if config.Lockstep { // otherwise the same command records another run
			return withAdvice(err)
		}
		return err
	}
	if err != nil {
		return advised(fmt.Errorf("--exec: %w", err))
	}
	for _, note := range report.Notes {
		a.note("--exec: %s", note)
	}
	if err := w.Commit(); err != nil {
		return advised(err)
	}
	for i, outcome := range counted.Runs {
		outcome.Run = counted.Sink.(*recordSink).runs[i].Number
	}
	if err := a.printRecorded(f, counted.Runs); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: kept a run of %d events", counted.Runs[0].Events)
	}
	return nil
}

// execConfig returns the command, the nodes, the network and its faults that the flags select. It fails for flags
// that only simulated algorithms have.
func (f *recordFlags) execConfig(args []string) (stdio.Config, error) {
	c := stdio.Config{Workload: cmp.Or(f.exec.workload, usualWorkload), Lockstep: f.exec.lockstep, Tool: toolName}
	if len(args) > 0 {
		return c, fmt.Errorf("--exec runs programs, so it does not go with the algorithm %s", args[0])
	}
	for i := range scenario.Keys {
		if k := &scenario.Keys[i]; f.given[k.Name] && !k.Network {
			return c, fmt.Errorf("--%s is for algorithms of etrace, so it does not go with --exec", k.Name)
		}
	}
	s := &f.stated
	// Maelstrom names its nodes n1, n2, ... from 1 on.
	if s.IDs == nil {
		for n := int64(1); n <= usualNodes; n++ {
			s.IDs = append(s.IDs, n)
		}
	}
	var err error
	c.Command, err = stdio.Words(f.exec.command)
	if err != nil {
		return c, fmt.Errorf("--exec: %w", err)
	}
	c.Config, c.Actions, err = s.Network()
	if err != nil {
		return c, err
	}
	for _, text := range f.exec.pauses {
		p, err := parsePause(text, len(s.IDs))
		if err != nil {
			return c, fmt.Errorf("--pause %s: %w", text, err)
		}
		c.Pauses = append(c.Pauses, p)
	}
	c.Nodes, c.Until, c.Name = len(s.IDs), time.Duration(s.Until), s.Name
	if c.Until == 0 {
		c.Until = usualEnd
	}
	if c.Name == "" {
		c.Name = c.Workload
	}
	return c, tracefile.CheckName(f.out)
}

// parsePause parses NODE@FROM-TO. It fails if there is no such node, or if the pause does not end after it begins.
func parsePause(text string, nodes int) (p stdio.Pause, err error) {
	name, interval, _ := strings.Cut(text, "@")
	begin, end, _ := strings.Cut(interval, "-")
	ids, failed := scenario.ParseIDs(name)
	p.From, err = network.ParseTime(begin)
	if err == nil {
		p.To, err = network.ParseTime(end)
	}
	if err != nil || failed != nil || len(ids) != 1 {
		return p, errors.New("expected NODE@FROM-TO, such as 2@1-3")
	}
	p.Node = tracefmt.ProcessID(ids[0])
	switch {
	case ids[0] < 1 || ids[0] > int64(nodes):
		return p, fmt.Errorf("there is no node %d, the nodes are 1-%d", ids[0], nodes)
	case p.To <= p.From:
		return p, errors.New("a pause must end after it begins")
	}
	return p, nil
}
