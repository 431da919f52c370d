package modelcheck

import (
	"bytes"
	"regexp"
	"strconv"

	"etrace/tracefmt/interop"
)

// TLC reads counterexamples of TLC: the output of -dumpTrace json in all its versions, and
// the text on the console. An array of states, the oldest version, is not recognised: it needs --from tlc.
// JSON does not distinguish sets from lists nor functions from records, so the mapping may have to.
//
// An action is called Next where it has no name of its own: then the difference of the states shows what happened. A
// behaviour that comes back to a state, or ends in stuttering, gets a note at its end; a behaviour that stutters has
// come to rest. A message of TLC, such as of a violated invariant, is no verdict.
var TLC = interop.Format{
	Name:        "tlc",
	Doc:         "counterexamples of TLC: JSON of -dumpTrace, and the text of the console",
	Describe:    describe,
	Source:      "tlaplus/tlaplus at cc6b616cf7e7",
	Detect:      detectTLC,
	Read:        readTLC,
	ReadOptions: []interop.Option{variablesOption},
}

var (
	signOfDump = regexp.MustCompile(`^\s*\{\s*("counterexample"\s*:\s*\{|"(action|state)"\s*:\s*\[\s*\[\s*(\[\s*)?[0-9]+\s*,\s*\{)`)
	signOfText = regexp.MustCompile(`(?m)^(State )?1: <.*>\r?\n(/\\ )?\w+ = `)
	clockOfTLC = regexp.MustCompile(`(?m)^/\\ Clock = "\{`) // such a behaviour is one for ShiViz
)

// detectTLC recognises files that only TLC writes. Arrays of objects with equal keys are no sign, since any
// program writes these.
func detectTLC(head []byte) interop.Confidence {
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	return interop.SureIf(signOfDump.Match(head) || signOfText.Match(head) && !clockOfTLC.Match(head))
}

// readTLC reads a counterexample of TLC: console text, or a JSON document.
func readTLC(r *interop.Reading) error {
	if first := bytes.TrimLeft(r.Head(), "\uFEFF \t\r\n"); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return readText(r)
	}
	doc, err := readJSON(r, "", nil)
	if err != nil {
		return err
	}
	if inner, ok := doc.field("counterexample"); ok {
		doc = inner
	}
	states, actions := doc, value{}
	if doc.kind == record {
		states, _ = doc.field("state")
		actions, _ = doc.field("action")
	}
	if states.kind != list || len(states.items()) == 0 {
		return r.Errorf(r.Line(int(doc.line)), `expected an array of states, or an object with the keys "state" and "action"`)
	}
	b, err := newBehaviour(r, true)
	if err != nil {
		return err
	}
	steps := stepsOf(actions.items())
	for i, v := range states.items() {
		s, err := b.stateOfTLC(v, i+1, steps)
		if err == nil {
			err = b.add(s)
		}
		if err != nil {
			return err
		}
	}
	for _, step := range steps {
		// An action that leads to an earlier state, or to its own, closes the loop of a lasso, or stutters.
		if step.last <= step.from {
			b.addLoop(int(step.action.line), step.last, step.last == step.from)
			break
		}
	}
	b.finish()
	return nil
}

// stepOfTLC is an action with the numbers of the states before and after it.
type stepOfTLC struct {
	from, last int
	action     value
}

// stepsOf returns the actions in a list of triples: a state, an action, a state.
func stepsOf(triples []value) (steps []stepOfTLC) {
	for i := range triples {
		if t := &triples[i]; len(t.items()) == 3 {
			from, _, okFrom := numbered(&t.items()[0])
			last, _, okLast := numbered(&t.items()[2])
			if okFrom && okLast {
				steps = append(steps, stepOfTLC{from, last, t.items()[1]})
			}
		}
	}
	return steps
}

// numbered splits a pair of a state's number and its variables; ok is false for another value.
func numbered(v *value) (number int, variables value, ok bool) {
	if v.kind != list || len(v.items()) != 2 {
		return 0, value{}, false
	}
	number, err := strconv.Atoi(v.items()[0].text)
	return number, v.items()[1], err == nil
}

// stateOfTLC returns a state with the action that led to it. The steps are in the order of the file, so the step
// to a state is near the state's own index.
func (b *behaviour) stateOfTLC(v value, number int, steps []stepOfTLC) (*state, error) {
	s := &state{line: b.r.Line(int(v.line)), number: number}
	if n, variables, ok := numbered(&v); ok {
		s.number, v = n, variables
	}
	if v.kind != record {
		return nil, b.r.Errorf(s.line, "state %d is no object", s.number)
	}
	s.variables = v.fields()
	if i := number - 2; i >= 0 && i < len(steps) && steps[i].last == s.number && steps[i].from < s.number {
		s.setAction(&steps[i].action)
	}
	return s, nil
}

// setAction reads the label of an action: its name, and the values of its parameters in their order.
func (s *state) setAction(action *value) {
	name, _ := action.field("name")
	context, _ := action.field("context")
	parameters, _ := action.field("parameters")
	s.action = name.plain()
	for _, p := range parameters.items() {
		if v, ok := context.field(p.plain()); ok {
			s.parameters = append(s.parameters, named{p.plain(), v})
		}
	}
}
