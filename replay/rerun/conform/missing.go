package conform

import (
	"context"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// contents describes what a partial recording contains and what it may lack. One pass over the recording
// collects it before the processes are compared.
type contents struct {
	run      *tracefmt.Run
	coverage *tracefmt.Coverage
	// kinds (a bit for each) and variables are the occurring kinds and variables, by process. named are the
	// variables that occur in any process, or that the run declares as recorded.
	kinds     []uint32
	variables []map[string]bool
	named     map[string]bool
	// coordinator is the value of elected in the first start event that assigns it, as a process number of the
	// run. knowsCoordinator is true if there is such an event.
	coordinator      tracefmt.ProcessID
	knowsCoordinator bool
	// duplicates is true if a message may arrive twice, losses if some loss is recorded.
	duplicates bool
	losses     bool
	// first is the kind of the first event of each process, firstSeq its seq; 0 if it has no events.
	first    []tracefmt.Kind
	firstSeq []tracefmt.Seq
}

// contentsOf examines a partial recording. It returns nil for a recording that is complete and has no
// inferred events.
func contentsOf(ctx context.Context, rec tracefmt.Recording) (*contents, error) {
	if tracefmt.NewCoverage(rec.Run()).Complete() {
		if guesses, err := hasInferred(ctx, rec); err != nil || !guesses {
			return nil, err
		}
	}
	return allContentsOf(ctx, rec)
}

// allContentsOf returns what a recording contains: the kinds of events and the variables of each process, and whether
// messages may be duplicated. An incomplete recording is no error.
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
		c.add(e)
		if e.Kind == tracefmt.Receive {
			c.duplicates = c.duplicates || received[e.Message]
			received[e.Message] = true
		}
	}
	c.duplicates = c.duplicates || !run.States(tracefmt.NoDuplicates)
	c.declare()
	return c, nil
}

// hasInferred reports whether the recording has inferred events, which may not have happened.
func hasInferred(ctx context.Context, rec tracefmt.Recording) (bool, error) {
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil || e.Inferred() {
			return err == nil, err
		}
	}
	return false, nil
}

// add adds an event to the contents.
func (c *contents) add(e *tracefmt.Event) {
	c.losses = c.losses || e.Kind == tracefmt.Lose
	c.kinds[e.Process] |= 1 << e.Kind
	if c.first[e.Process] == 0 {
		c.first[e.Process], c.firstSeq[e.Process] = e.Kind, e.Seq
	}
	if !e.Kind.AssignsVariables() {
		return
	}
	variables := c.variables[e.Process]
	if variables == nil {
		variables = map[string]bool{}
		c.variables[e.Process] = variables
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		variable := variableName(name)
		variables[variable], c.named[variable] = true, true
		if e.Kind == tracefmt.Start && variable == "elected" && !c.knowsCoordinator {
			c.coordinator, _ = c.run.ProcessValue(value)
			c.knowsCoordinator = true
		}
	}
}

// declare adds the variables that the run declares as recorded but that never occur.
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

// algorithmKinds lists the kinds of events that an algorithm makes or takes as input; only these may be
// assumed.
var algorithmKinds = []tracefmt.Kind{
	tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Send, tracefmt.Receive, tracefmt.SetTimer,
	tracefmt.CancelTimer,
	tracefmt.Timeout, tracefmt.Suspect, tracefmt.State, tracefmt.Invoke, tracefmt.Return, tracefmt.Note,
}

// missing describes what may be missing between two recorded events of a process.
type missing struct {
	// kinds are the kinds of events that may be missing, variables those whose assignments may be.
	kinds     [32]bool
	variables map[string]bool
	// any is true if anything may be missing.
	any bool
}

// between sets m to what may be missing at p between two events; before 0 is the end of the run. It reports
// whether the kinds of events changed.
func (c *contents) between(m *missing, p tracefmt.ProcessID, after, before tracefmt.Seq) (changed bool) {
	m.any = false
	for _, k := range algorithmKinds {
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

// incomplete reports whether the recording may lack events of kind k anywhere at p.
func (c *contents) incomplete(p tracefmt.ProcessID, k tracefmt.Kind) bool {
	return c.coverage.Missing(p, tracefmt.Fact{Kind: k}, 0, 0)
}

// complete reports whether all events of these kinds are recorded at p.
func (c *contents) complete(p tracefmt.ProcessID, kinds ...tracefmt.Kind) bool {
	return !slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool { return c.incomplete(p, k) })
}

// shares returns the variables that both the run and the algorithm have.
func (c *contents) shares(protocol *sim.Protocol) shared {
	s := shared{recorded: c.named}
	s.declare(protocol)
	return s
}
