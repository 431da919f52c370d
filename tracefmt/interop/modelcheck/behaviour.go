package modelcheck

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// state is a state of a behaviour, and the action that led to it.
type state struct {
	line       int
	number     int
	action     string // "" if it has no name
	parameters []named
	variables  []named
}

// title names the state and its action, such as: state 7: grant(n0).
func (s *state) title() string {
	title := fmt.Sprintf("state %d", s.number)
	if s.action == "" {
		return title
	}
	title += ": " + s.action
	if len(s.parameters) == 0 {
		return title
	}
	values := make([]string, len(s.parameters))
	for i := range s.parameters {
		values[i] = s.parameters[i].plain()
	}
	return title + "(" + interop.Shorten(strings.Join(values, ", ")) + ")"
}

// systemProcess is the process of a behaviour without processes.
const systemProcess = "system"

// behaviour makes a run of the states of a behaviour.
type behaviour struct {
	*interop.Builder
	r              *interop.Reading
	meaning        *meaning
	recordsAreMaps bool              // the format writes records and functions alike
	names          map[string]string // by full name of a variable, the name in the run; nil before the first state
	system         bool              // there are no processes, see systemProcess
	before         snapshot          // a snapshot of the previous state
	inFlight       flight
	steps          map[string]int // by process, the number of steps that changed it
	causeKeys      int            // the number of keys of causes so far
	stutters       int            // the number of steps that change nothing
	undecided      int            // the number of messages that were either received or lost
}

// newBehaviour begins a run. loose is true if the format writes records and functions alike.
func newBehaviour(r *interop.Reading, loose bool) (*behaviour, error) {
	m, err := loadMeaning(r.Value(variablesOption.Name))
	if err != nil {
		return nil, err
	}
	b := &behaviour{r: r, meaning: m, recordsAreMaps: loose, inFlight: newFlight(), steps: make(map[string]int)}
	b.Builder = r.Build(tracefmt.Run{Problem: m.problem, Traits: m.traits})
	return b, nil
}

// begin determines from the first state which variables are those of processes, of the network, and of the
// action.
func (b *behaviour) begin(s *state) error {
	m := b.meaning
	b.names = runNames(s.variables)
	if err := m.resolve(b.names); err != nil {
		return b.r.Errorf(s.line, "%w", err)
	}
	if len(m.action) == 0 {
		m.action = b.guessAction(s)
	}
	if len(m.process) == 0 {
		b.guessProcesses(s)
	}
	b.system = len(m.process) == 0
	return nil
}

// guessAction returns a variable that has the name of the action, if the mapping names none and the file has no
// other name of actions.
func (b *behaviour) guessAction(s *state) []string {
	for _, v := range s.variables {
		if b.names[v.name] != "action" || s.action != "" {
			continue
		}
		for _, key := range []string{"name", "tag"} {
			if name, ok := v.field(key); ok && name.isText() {
				return []string{"action", key}
			}
		}
		if v.isText() {
			return []string{"action"}
		}
	}
	return nil
}

// guessProcesses finds the variables that are maps from processes, and notes the guess.
func (b *behaviour) guessProcesses(s *state) {
	free := slices.DeleteFunc(slices.Clone(s.variables), func(v named) bool { return b.isIgnored(b.names[v.name]) })
	for _, name := range guessProcessMaps(free, b.recordsAreMaps) {
		b.meaning.process = append(b.meaning.process, b.names[name])
	}
	if len(b.meaning.process) == 0 {
		b.Note("no variable is a map from processes, so all are those of a process %s (--variables)", systemProcess)
		return
	}
	b.Note("processes are the keys of %s (--variables)", text.And(b.meaning.process))
}

// isIgnored reports whether a variable belongs to no process: the mapping ignores it, or it is the network or the
// action.
func (b *behaviour) isIgnored(name string) bool {
	m := b.meaning
	return slices.Contains(m.ignore, name) || m.network != nil && m.network.set == name || len(m.action) > 0 && m.action[0] == name
}

// add adds the events of the step to the next state.
func (b *behaviour) add(s *state) error {
	first := b.names == nil
	if first {
		if err := b.begin(s); err != nil {
			return err
		}
	}
	b.findAction(s)
	now := b.snapshotOf(s)
	step := &step{state: s, behaviour: b, now: now, changes: now.since(&b.before, b.meaning.term())}
	if err := step.findMessages(); err != nil {
		return b.r.Errorf(s.line, "state %d: %w", s.number, err)
	}
	if !first {
		step.findActor()
	}
	b.before = now
	step.emit(first)
	return nil
}

// findAction moves the name of the action from its variable to the state.
func (b *behaviour) findAction(s *state) {
	path := b.meaning.action
	if len(path) == 0 {
		return
	}
	for _, v := range s.variables {
		if b.names[v.name] != path[0] {
			continue
		}
		inner := v.value
		for _, name := range path[1:] {
			for _, f := range inner.fields() {
				if f.name != name {
					s.parameters = append(s.parameters, f)
				}
			}
			inner, _ = inner.field(name)
		}
		if inner.isText() {
			s.action = inner.plain()
		}
	}
}

// addLoop adds the note at the end of a behaviour that continues from an earlier state, or that stays in its last
// state.
func (b *behaviour) addLoop(line, target int, stutters bool) {
	e := interop.Entry{
		Line: b.r.Line(line), Kind: tracefmt.Note, Type: "loop", Text: fmt.Sprintf("back to state %d", target),
		Fields: []interop.Field{interop.Int("state", int64(target))},
	}
	if stutters {
		e.Type, e.Text = "stuttering", fmt.Sprintf("state %d, and nothing more changes", target)
		b.End = tracefmt.Quiescent
		b.Note("the behaviour ends in stuttering, so it came to rest")
	} else {
		b.Note("the behaviour repeats forever what is after state %d", target)
	}
	b.Add(e)
}

// finish reports ambiguities, and declares the completeness of the run. It is complete, since every event in a
// model is a change of its state; only kinds of message events may be missing.
func (b *behaviour) finish() {
	if b.stutters > 0 {
		b.Note("%s nothing", text.Counted(b.stutters, "step changes", "steps change"))
	}
	b.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	switch {
	case b.meaning.network == nil:
		b.declareKinds(tracefmt.None, tracefmt.Send, tracefmt.Receive, tracefmt.Lose)
	case b.undecided > 0:
		b.Note("%s, and nothing says whether received or lost (network: {lost: [ACTION]} says which actions lose messages)",
			text.Counted(b.undecided, "message disappears", "messages disappear"))
		b.declareKinds(tracefmt.Some, tracefmt.Receive, tracefmt.Lose)
	}
}

// declareKinds declares a level for the kinds.
func (b *behaviour) declareKinds(level tracefmt.Level, kinds ...tracefmt.Kind) {
	b.Completeness.Kinds = make(map[string]tracefmt.Level)
	for _, k := range kinds {
		b.Completeness.Kinds[k.String()] = level
	}
}
