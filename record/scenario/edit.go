package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Edit changes one thing in a recorded run: it names a message or an event of the record. Up to there the runs
// with and without the edit are equal. See [EditForms] for the texts.
type Edit struct {
	// Verb is one of EditForms, "" for a change of the parameter Param to Value.
	Verb         string
	Param, Value string
	Message      Place         // the message, for edits of messages
	Delay        tracefmt.Time // the delay, for the verb delay
	Process      int64         // the process, for edits of processes
	When         Place         // the moment, for all edits except those of messages
}

// Place is a place in a run: a message, the event Seq, or, if both are 0, the
// instant Time.
type Place struct {
	Message tracefmt.MessageID
	Seq     tracefmt.Seq
	Time    tracefmt.Time
}

func (p Place) String() string {
	switch {
	case p.Message > 0:
		return "m" + strconv.FormatInt(int64(p.Message), 10)
	case p.Seq > 0:
		return "seq" + strconv.FormatInt(int64(p.Seq), 10)
	}
	return p.Time.String()
}

// EditForm is a verb of edits with the syntax of its object.
type EditForm struct {
	Verb, Form, Example, Doc string

	parse func(e *Edit, object string) bool
	// apply adds the edit to the simulation.
	apply func(b *builder, c *sim.Config, e *Edit)
}

// EditForms are the edits that begin with a verb. An edit without a verb, such as timeout=5@seq30, changes a
// parameter of the algorithm. A message is m12 by its id, or seq40 by the seq of its send. P@seq40 is directly
// after event 40, or after the step of that event; only a crash of the process itself happens within the step.
// P@5.5, or P@t=5.5, is an instant.
var EditForms = []EditForm{
	{"drop", "drop MESSAGE", "drop m12", "the message is lost", (*Edit).parseMessage, addsMessageEdit(network.DropMessage)},
	{"delay", "delay MESSAGE=D", "delay m12=4", "the message takes D", (*Edit).parseDelay, addsMessageEdit(network.DelayMessage)},
	{
		"duplicate", "duplicate MESSAGE", "duplicate m12", "the message arrives twice", (*Edit).parseMessage,
		addsMessageEdit(network.DuplicateMessage),
	},
	{"crash", "crash P@WHEN", "crash 3@seq40", "P crashes", (*Edit).parseProcess, addsActionEdit(sim.CrashProcess)},
	{"recover", "recover P@WHEN", "recover 3@9", "P recovers", (*Edit).parseProcess, addsActionEdit(sim.RecoverProcess)},
	{"start", "start P@WHEN", "start 3@seq40", "P starts; in an election, it notices that the " +
		"coordinator is gone", (*Edit).parseProcess, addsActionEdit(sim.StartProcess)},
}

func (e Edit) String() string {
	switch {
	case e.Verb == "":
		return e.Param + "=" + e.Value + "@" + e.When.String()
	case e.Message == Place{}:
		return e.Verb + " " + strconv.FormatInt(e.Process, 10) + "@" + e.When.String()
	case e.Verb == "delay":
		return e.Verb + " " + e.Message.String() + "=" + e.Delay.String()
	}
	return e.Verb + " " + e.Message.String()
}

// ParseEdit reads the output of [Edit.String]; t= may precede a time.
func ParseEdit(s string) (Edit, error) {
	verb, object, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok && strings.Contains(verb, "=") {
		return parseParamEdit(s)
	}
	e := Edit{Verb: verb}
	form := e.verb()
	switch {
	case form == nil:
		return e, text.Unknown("edit", verb, editVerbs())
	case !form.parse(&e, strings.TrimSpace(object)):
		return e, fmt.Errorf("%q: expected %s, such as %s", s, form.Form, form.Example)
	}
	return e, nil
}

// verb returns the row of the verb, nil if it is unknown.
func (e *Edit) verb() *EditForm {
	i := slices.IndexFunc(EditForms, func(f EditForm) bool { return f.Verb == e.Verb })
	if i < 0 {
		return nil
	}
	return &EditForms[i]
}

// editVerbs returns the verbs of edits, for errors.
func editVerbs() []string {
	var verbs []string
	for _, f := range EditForms {
		verbs = append(verbs, f.Verb)
	}
	return append(verbs, "PARAMETER=VALUE@WHEN")
}

// parseParamEdit reads the change of a parameter.
func parseParamEdit(text string) (e Edit, err error) {
	setting, when, ok := strings.Cut(text, "@")
	e.Param, e.Value, _ = strings.Cut(setting, "=")
	if form := (&Edit{Verb: e.Param}).verb(); form != nil {
		return e, fmt.Errorf("%q: expected %s, such as %s", text, form.Form, form.Example)
	}
	if !ok || e.Param == "" || e.Value == "" || !e.When.parse(when) || e.When.Message > 0 {
		return e, fmt.Errorf("%q: expected PARAMETER=VALUE@WHEN, such as timeout=5@seq30 or timeout=5@4.5", text)
	}
	return e, nil
}

// parseMessage reads the object of drop or duplicate; false if it is no message.
func (e *Edit) parseMessage(object string) bool {
	return e.Message.parse(object) && (e.Message.Message > 0 || e.Message.Seq > 0)
}

// parseDelay reads the object of delay; false if it is malformed.
func (e *Edit) parseDelay(object string) bool {
	object, delay, _ := strings.Cut(object, "=")
	var err error
	e.Delay, err = network.ParseTime(delay)
	return err == nil && e.parseMessage(object)
}

// parseProcess reads the object of crash, recover or start; false if it is malformed.
func (e *Edit) parseProcess(object string) bool {
	process, when, ok := strings.Cut(object, "@")
	var err error
	e.Process, err = parseID(process)
	return ok && err == nil && e.When.parse(when) && e.When.Message == 0
}

// parse reads m12, seq40, or a time with or without t= before it, as replay writes it; false for other texts.
func (p *Place) parse(text string) bool {
	if digits, ok := strings.CutPrefix(text, "seq"); ok {
		n, err := parseID(digits)
		p.Seq = tracefmt.Seq(n)
		return err == nil && n > 0
	}
	if digits, ok := strings.CutPrefix(text, "m"); ok {
		n, err := parseID(digits)
		p.Message = tracefmt.MessageID(n)
		return err == nil && n > 0
	}
	var err error
	p.Time, err = network.ParseTime(strings.TrimPrefix(text, "t="))
	return err == nil
}

// Missing returns an error if the edit names a message or an event after the end of the run.
func (e *Edit) Missing(run string, has sim.Result) error {
	switch {
	case e.Message.Message > 0 && has.Messages == 0:
		return fmt.Errorf("%s: %s has no messages", e, run)
	case int64(e.Message.Message) > has.Messages:
		return fmt.Errorf("%s: %s has no message m%d, its messages are m1 to m%d", e, run, e.Message.Message, has.Messages)
	case int64(e.When.Seq) > has.Events || int64(e.Message.Seq) > has.Events:
		return fmt.Errorf("%s: %s has no such event, its seqs are 1 to %d", e, run, has.Events)
	}
	return nil
}

// CheckEdits returns an error if an edit of the scenario had no effect, since the run lacks the event or process
// that it names.
func (s *Scenario) CheckEdits(result sim.Result) error {
	if result.Interrupted {
		return nil // an interrupted run might have had the event later
	}
	ofMessages := 0
	for i := range s.Edits {
		e := &s.Edits[i]
		if err := e.Missing("the run", result); err != nil {
			return fmt.Errorf("edit %w", err)
		}
		if e.Message == (Place{}) {
			continue
		}
		if slices.Contains(result.Unedited, ofMessages) {
			return fmt.Errorf("edit %s: seq %d of the run sends no message", e, e.Message.Seq)
		}
		ofMessages++
	}
	return nil
}

// addsMessageEdit returns the function that adds an edit of a message.
func addsMessageEdit(kind network.EditKind) func(*builder, *sim.Config, *Edit) {
	return func(_ *builder, c *sim.Config, e *Edit) {
		c.Edits = append(c.Edits, network.Edit{Kind: kind, Message: e.Message.Message, Sent: e.Message.Seq, Delay: e.Delay})
	}
}

// addsActionEdit returns the function that adds an edit that is an action of a process.
func addsActionEdit(kind sim.ActionKind) func(*builder, *sim.Config, *Edit) {
	return func(b *builder, c *sim.Config, e *Edit) {
		c.Actions = append(c.Actions, sim.Action{
			Kind: kind, Process: b.process(e.Process, e.String()), At: e.When.Time, After: e.When.Seq,
		})
	}
}

// addEdits adds the edits. A change of a parameter applies on top of the earlier changes.
func (b *builder) addEdits(c *sim.Config, a *algorithm.Algorithm) {
	given := maps.Clone(b.scenario.Params)
	for i := range b.scenario.Edits {
		e := &b.scenario.Edits[i]
		b.setPlace("edit", i)
		if form := e.verb(); form != nil {
			form.apply(b, c, e)
		} else {
			given = b.changeParam(c, a, e, given)
		}
	}
}

// changeParam adds a change of a parameter: all processes switch to the protocol for the new values. It returns the
// new parameters.
func (b *builder) changeParam(c *sim.Config, a *algorithm.Algorithm, e *Edit, given map[string]string) map[string]string {
	given = maps.Clone(given)
	if given == nil {
		given = map[string]string{}
	}
	given[e.Param] = e.Value
	values, err := a.Resolve(given)
	if err != nil {
		b.fail(" %s: %w", e, err)
		return given
	}
	b.dropTraits(a, values)
	numbered := b.numbered(a, values)
	protocol, err := a.Protocol(numbered)
	if u := a.Refuses(numbered, c); u != nil && err == nil {
		err = u
	}
	if err != nil {
		b.fail(" %s: %w", e, err)
		return given
	}
	if !protocol.Declares(c.Protocol) {
		b.fail(" %s: %s decides which messages, variables and timers there are, it cannot change during a run", e, e.Param)
	}
	c.Actions = append(c.Actions, sim.Action{Kind: sim.SwitchProtocol, Protocol: protocol, At: e.When.Time, After: e.When.Seq})
	return given
}
