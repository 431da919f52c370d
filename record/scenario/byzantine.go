package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Claim is a Byzantine act against the algorithm: a lie or a forgery.
//
// A lie has one of two forms. With Fields it changes fields in the messages of a type from the process to the
// receivers, from an instant on: "1@2 VOTE:granted=true", "1>2,3@0 ECHO:m=\"a\"". With Sends it sends each of some
// processes a message of the type at that instant, with a value for each: "1@0 SEND:2=a,3=b". The process then takes
// no step of its own in the whole run.
//
// A forgery is a message to each receiver at that instant, beside what the algorithm sends: "1>2,3@0 ECHO:m=a".
type Claim struct {
	Process int64
	// Receivers are the affected receivers; nil for all.
	Receivers []int64
	Time      tracefmt.Time
	Type      string
	Fields    []ClaimedField
	// Sends are the messages of a process that takes no step of its own.
	Sends []ClaimedMessage
}

// ClaimedField is a field of a message with a JSON value. A text may lack its quotes.
type ClaimedField struct{ Name, Value string }

// ClaimedMessage is a message to a process. Its value is that of its only field, or an object of its fields; ""
// for a message without fields.
type ClaimedMessage struct {
	To    int64
	Value string
}

func (c Claim) String() string {
	s := At{Process: c.Process, Time: c.Time}.String()
	if c.Receivers != nil {
		process, when, _ := strings.Cut(s, "@")
		s = process + ">" + FormatIDs(c.Receivers) + "@" + when
	}
	s += " " + c.Type
	separator := ":"
	for _, f := range c.Fields {
		s += separator + f.Name + "=" + f.Value
		separator = ","
	}
	for _, m := range c.Sends {
		s += separator + strconv.FormatInt(m.To, 10)
		if m.Value != "" {
			s += "=" + m.Value
		}
		separator = ","
	}
	return s
}

// The forms of claims, for errors.
const (
	lieForm     = `P@T TYPE:FIELD=VALUE, P>Q@T TYPE:FIELD=VALUE or P@T TYPE:PROCESS=VALUE, such as 1>2@0 VOTE:granted=true or 1@0 SEND:2=a,3=b`
	forgeryForm = `P>Q@T TYPE:FIELD=VALUE,... with every field of the message, such as 1>2@0 VOTE:term=1,granted=true`
)

// appendLie reads a lie and appends it. It fails if the lie has both forms, or neither.
func appendLie(list *[]Claim, text string) error {
	c, err := parseClaim(text, lieForm)
	switch {
	case err != nil:
	case c.Fields == nil && c.Sends == nil:
		err = fmt.Errorf("%q: expected %s", text, lieForm)
	case c.Fields != nil && c.Sends != nil:
		err = fmt.Errorf("%q: a field, %s, beside a process, %d; expected one of them before each =", text, c.Fields[0].Name, c.Sends[0].To)
	case c.Receivers != nil && c.Sends != nil:
		err = fmt.Errorf("%q: receivers in front of @ and before =; expected them in one place", text)
	}
	*list = append(*list, c)
	return err
}

// appendForgery reads a forgery and appends it. It fails without receivers.
func appendForgery(list *[]Claim, text string) error {
	c, err := parseClaim(text, forgeryForm)
	if err == nil && (c.Receivers == nil || c.Sends != nil) {
		err = fmt.Errorf("%q: expected %s", text, forgeryForm)
	}
	*list = append(*list, c)
	return err
}

// parseClaim reads a lie or a forgery; form describes the expected text in errors.
func parseClaim(text, form string) (c Claim, err error) {
	where, claimed, ok := strings.Cut(strings.TrimSpace(text), " ")
	channel, when, timed := strings.Cut(where, "@")
	if !ok || !timed {
		return c, fmt.Errorf("%q: expected %s", text, form)
	}
	from, receivers, directed := strings.Cut(channel, ">")
	c.Process, err = parseID(from)
	if err != nil {
		return c, err
	}
	if directed {
		c.Receivers, err = ParseIDs(receivers)
		if err != nil {
			return c, err
		}
	}
	c.Time, err = network.ParseTime(when)
	if err != nil {
		return c, err
	}
	typ, fields, _ := strings.Cut(strings.TrimSpace(claimed), ":")
	c.Type = strings.TrimSpace(typ)
	if c.Type == "" {
		return c, fmt.Errorf("%q: expected %s", text, form)
	}
	for _, part := range splitValues(fields) {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		// No field has a number as its name, so a number before = is a receiver.
		if receiver, err := parseID(name); err == nil && ok == (value != "") {
			c.Sends = append(c.Sends, ClaimedMessage{receiver, value})
			continue
		}
		if !ok || name == "" || value == "" {
			return c, fmt.Errorf("%q: expected %s", text, form)
		}
		c.Fields = append(c.Fields, ClaimedField{name, value})
	}
	return c, nil
}

// addByzantine adds the Byzantine acts, and marks the members that commit them.
func (b *builder) addByzantine(c *sim.Config) {
	for i, a := range b.scenario.Silence {
		b.setPlace("silence", i)
		for _, p := range b.startedBy(a) {
			b.markByzantine(p)
			c.Actions = append(c.Actions, sim.Action{Kind: sim.SilenceProcess, At: a.Time, Process: p})
		}
	}
	b.addClaims(c, "lie", sim.LieProcess, b.scenario.Lies)
	b.addClaims(c, "forge", sim.ForgeMessage, b.scenario.Forgeries)
	b.checkContradictions(c)
}

// addClaims adds the actions of the lies or forgeries under a key, and makes their processes Byzantine.
func (b *builder) addClaims(c *sim.Config, key string, kind sim.ActionKind, claims []Claim) {
	for i, claim := range claims {
		b.setPlace(key, i)
		if claim.Sends != nil {
			b.addSendFault(c, claim)
			continue
		}
		a := sim.Action{Kind: kind, At: claim.Time, Process: b.process(claim.Process, claim.String()), Type: claim.Type}
		for _, q := range claim.Receivers {
			if q == claim.Process {
				b.fail(" %s: a process sends itself nothing", claim)
			}
			a.Receivers = append(a.Receivers, b.process(q, claim.String()))
		}
		if b.err != nil {
			return
		}
		b.markByzantine(a.Process)
		var fields [][2]string
		for _, f := range claim.Fields {
			fields = append(fields, [2]string{f.Name, f.Value})
		}
		object := c.Claim
		if kind == sim.ForgeMessage {
			b.checkNeighbours(c, claim, claim.Receivers)
			object = c.Forged
		}
		var err error
		a.Fields, err = object(claim.Type, fields)
		if err != nil {
			b.fail(" %s: %w", claim, err)
		}
		c.Actions = append(c.Actions, a)
	}
}

// addSendFault adds the actions of a process that takes no step of its own.
func (b *builder) addSendFault(c *sim.Config, claim Claim) {
	p := b.process(claim.Process, claim.String())
	for _, m := range claim.Sends {
		if m.To == claim.Process {
			b.fail(" %s: a process sends itself nothing", claim)
		}
		q := b.process(m.To, claim.String())
		b.checkNeighbours(c, claim, []int64{m.To})
		if b.err != nil {
			return
		}
		fields, err := c.Fields(claim.Type, m.Value)
		if err != nil {
			b.fail(" %s: %w", claim, err)
			return
		}
		c.Actions = append(c.Actions, sim.Action{
			Kind: sim.ForgeMessage, At: claim.Time, Process: p, Type: claim.Type, Fields: fields, Receivers: []tracefmt.ProcessID{q},
		})
	}
	b.markByzantine(p)
	if !slices.Contains(c.Passive, p) {
		c.Passive = append(c.Passive, p)
	}
}

// checkContradictions fails if a process that takes no step of its own has other Byzantine acts, too.
func (b *builder) checkContradictions(c *sim.Config) {
	for i, claim := range b.scenario.Lies {
		b.setPlace("lie", i)
		if p := b.number[claim.Process]; claim.Sends == nil && slices.Contains(c.Passive, p) {
			b.fail(" %s: %d takes no step of its own, and sends only what other lies give it", claim, claim.Process)
		}
	}
}

// checkNeighbours fails if a receiver is no neighbour of the process.
func (b *builder) checkNeighbours(c *sim.Config, claim Claim, receivers []int64) {
	if c.Edges == nil {
		return
	}
	var neighbours []int64
	for _, id := range b.scenario.Ring() {
		p, q := b.number[claim.Process], b.number[id]
		if slices.Contains(c.Edges, [2]tracefmt.ProcessID{p, q}) || slices.Contains(c.Edges, [2]tracefmt.ProcessID{q, p}) {
			neighbours = append(neighbours, id)
		}
	}
	for _, id := range receivers {
		if !slices.Contains(neighbours, id) {
			b.fail(" %s: %d is no neighbour of %d, whose neighbours are %s", claim, id, claim.Process, cmp.Or(FormatIDs(neighbours), "none"))
		}
	}
}

// markByzantine gives a process the role byzantine.
func (b *builder) markByzantine(p tracefmt.ProcessID) {
	b.setRole(p, tracefmt.Byzantine)
}
