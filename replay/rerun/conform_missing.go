package rerun

import (
	"context"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// contents is what a partial recording has, and what it may lack: what one pass over it
// shows before its processes are followed.
type contents struct {
	run      *tracefmt.Run
	coverage *tracefmt.Coverage
	// kinds and variables are those that occur, by process; named are the variables
	// that occur at all, or are declared as recorded.
	kinds     []uint32
	variables []map[string]bool
	named     map[string]bool
	// coordinator is the value of elected in the first start event that has one, in the run's
	// numbers; knows is whether there is any.
	coordinator tracefmt.ProcessID
	knows       bool
	// duplicates: a message may arrive twice.
	duplicates bool
	// losses: some are recorded.
	losses bool
	// first are the first event of each process, 0 for none.
	first []tracefmt.Kind
	// firstSeq are their seqs.
	firstSeq []tracefmt.Seq
}

// contentsOf looks through a recording, unless it is complete: then it returns nil.
func contentsOf(ctx context.Context, rec tracefmt.Recording) (*contents, error) {
	if tracefmt.NewCoverage(rec.Run()).Complete() {
		if guesses, err := hasInferred(ctx, rec); err != nil || !guesses {
			return nil, err
		}
	}
	return allContentsOf(ctx, rec)
}

// allContentsOf looks through any recording.
func allContentsOf(ctx context.Context, rec tracefmt.Recording) (*contents, error) {
	run := rec.Run()
	c := &contents{run: run, coverage: tracefmt.NewCoverage(run), named: map[string]bool{}}
	n := len(run.Members) + 1
	c.kinds, c.variables = make([]uint32, n), make([]map[string]bool, n)
	c.first, c.firstSeq = make([]tracefmt.Kind, n), make([]tracefmt.Seq, n)
	received := map[tracefmt.MessageID]bool{}
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return nil, err
		}
		c.coverage.Show(e)
		if e.Process <= 0 || int(e.Process) >= n {
			continue
		}
		c.show(e)
		if e.Kind == tracefmt.Receive {
			c.duplicates = c.duplicates || received[e.Message]
			received[e.Message] = true
		}
	}
	c.duplicates = c.duplicates || !run.States(tracefmt.NoDuplicates)
	c.declare()
	return c, nil
}

// hasInferred reports whether an event was guessed, and so may not have happened.
func hasInferred(ctx context.Context, rec tracefmt.Recording) (bool, error) {
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil || e.Inferred() {
			return err == nil, err
		}
	}
	return false, nil
}

func (c *contents) show(e *tracefmt.Event) {
	c.losses = c.losses || e.Kind == tracefmt.Lose
	c.kinds[e.Process] |= 1 << e.Kind
	if c.first[e.Process] == 0 {
		c.first[e.Process], c.firstSeq[e.Process] = e.Kind, e.Seq
	}
	if !e.Kind.AssignsVariables() {
		return
	}
	own := c.variables[e.Process]
	if own == nil {
		own = map[string]bool{}
		c.variables[e.Process] = own
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		variable := variableName(name)
		own[variable], c.named[variable] = true, true
		if e.Kind == tracefmt.Start && variable == "elected" && !c.knows {
			c.coordinator, _ = c.run.ProcessValue(value)
			c.knows = true
		}
	}
}

// declare takes in the variables that the run declares to record, though none occurs.
func (c *contents) declare() {
	if c.run.Completeness == nil {
		return
	}
	for key, level := range c.run.Completeness.Kinds {
		if facts, err := tracefmt.ParseFacts(key); err == nil && level != tracefmt.None && facts[0].Variable != "" {
			c.named[facts[0].Variable] = true
		}
	}
}

// supposable are the kinds of events that an algorithm makes, or that happen to it.
var supposable = []tracefmt.Kind{
	tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Send, tracefmt.Receive, tracefmt.SetTimer, tracefmt.CancelTimer,
	tracefmt.Timeout, tracefmt.Suspect, tracefmt.State, tracefmt.Invoke, tracefmt.Return, tracefmt.Note,
}

// missing is what a process may have done between two of its recorded events without its
// being recorded.
type missing struct {
	kinds [32]bool
	// variables are those of which an assignment may be missing.
	variables map[string]bool
	// any: something may be missing.
	any bool
}

// between fills in what may be missing at p after one event and before another, and
// reports whether that is something else than before.
func (c *contents) between(m *missing, p tracefmt.ProcessID, after, before tracefmt.Seq) (changed bool) {
	m.any = false
	for _, k := range supposable {
		was := m.kinds[k]
		m.kinds[k] = c.coverage.Missing(p, tracefmt.Fact{Kind: k}, after, before)
		m.any = m.any || m.kinds[k]
		changed = changed || was != m.kinds[k]
	}
	if m.variables == nil {
		m.variables = map[string]bool{}
	}
	for name := range c.named {
		v := c.coverage.Missing(p, tracefmt.StateOf(name), after, before)
		m.variables[name] = v
		m.any = m.any || v
	}
	return changed
}

// ever reports whether a fact may be missing anywhere.
func (c *contents) ever(p tracefmt.ProcessID, k tracefmt.Kind) bool {
	return c.coverage.Missing(p, tracefmt.Fact{Kind: k}, 0, 0)
}

// whole reports whether all such events of a process are recorded.
func (c *contents) whole(p tracefmt.ProcessID, kinds ...tracefmt.Kind) bool {
	return !slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool { return c.ever(p, k) })
}

// shares returns the variables that both the run and the algorithm have.
func (c *contents) shares(protocol *sim.Protocol) shared {
	s := shared{told: c.named}
	s.declare(protocol)
	return s
}
