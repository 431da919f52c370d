package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Claim is what a Byzantine process says against its algorithm: as a lie, the
// fields in the messages of the type that it sends to the receivers from an
// instant on; as a forgery, a message to each receiver at that instant, which its
// algorithm does not send. "1>2,3@0 ECHO:m=\"a\"", "1@2 VOTE:granted=true".
type Claim struct {
	Process int64
	// Receivers are those to whom it says so, nil for all.
	Receivers []int64
	Time      tracefmt.Time
	Type      string
	Fields    []ClaimedField
}

// ClaimedField is a field of a message with a JSON value. A text may be without
// quotes.
type ClaimedField struct{ Name, Value string }

func (c Claim) String() string {
	s := At{Process: c.Process, Time: c.Time}.String()
	if c.Receivers != nil {
		who, when, _ := strings.Cut(s, "@")
		s = who + ">" + FormatIDs(c.Receivers) + "@" + when
	}
	s += " " + c.Type
	for i, f := range c.Fields {
		s += []string{":", ","}[min(i, 1)] + f.Name + "=" + f.Value
	}
	return s
}

// The forms of claims, for errors.
const (
	lieForm     = `P@T TYPE:FIELD=VALUE or P>Q@T TYPE:FIELD=VALUE, such as 1>2@0 VOTE:granted=true`
	forgeryForm = `P>Q@T TYPE:FIELD=VALUE,... with every field of the message, such as 1>2@0 VOTE:term=1,granted=true`
)

func appendLie(list *[]Claim, text string) error {
	c, err := parseClaim(text, lieForm)
	if err == nil && c.Fields == nil {
		err = fmt.Errorf("%q: expected %s", text, lieForm)
	}
	*list = append(*list, c)
	return err
}

func appendForgery(list *[]Claim, text string) error {
	c, err := parseClaim(text, forgeryForm)
	if err == nil && c.Receivers == nil {
		err = fmt.Errorf("%q: expected %s", text, forgeryForm)
	}
	*list = append(*list, c)
	return err
}

func parseClaim(text, form string) (c Claim, err error) {
	where, what, ok := strings.Cut(strings.TrimSpace(text), " ")
	channel, when, timed := strings.Cut(where, "@")
	if !ok || !timed {
		return c, fmt.Errorf("%q: expected %s", text, form)
	}
	from, to, directed := strings.Cut(channel, ">")
	if c.Process, err = parseID(from); err != nil {
		return c, err
	}
	if directed {
		if c.Receivers, err = ParseIDs(to); err != nil {
			return c, err
		}
	}
	if c.Time, err = network.ParseTime(when); err != nil {
		return c, err
	}
	typ, fields, _ := strings.Cut(strings.TrimSpace(what), ":")
	if c.Type = strings.TrimSpace(typ); c.Type == "" {
		return c, fmt.Errorf("%q: expected %s", text, form)
	}
	for _, part := range splitValues(fields) {
		name, value, ok := strings.Cut(part, "=")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !ok || name == "" || value == "" {
			return c, fmt.Errorf("%q: expected %s", text, form)
		}
		c.Fields = append(c.Fields, ClaimedField{name, value})
	}
	return c, nil
}

// byzantine adds what processes do against their algorithm, and says in the
// attributes of the members who does so.
func (b *builder) byzantine(c *sim.Config) {
	for i, a := range b.s.Silence {
		b.at("silence", i)
		for _, p := range b.who(a) {
			b.traitor(p)
			c.Actions = append(c.Actions, sim.Action{Kind: sim.SilenceProcess, At: a.Time, Process: p})
		}
	}
	b.claims(c, "lie", sim.LieProcess, b.s.Lies)
	b.claims(c, "forge", sim.ForgeMessage, b.s.Forgeries)
}

func (b *builder) claims(c *sim.Config, key string, kind sim.ActionKind, claims []Claim) {
	for i, claim := range claims {
		b.at(key, i)
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
		b.traitor(a.Process)
		var fields [][2]string
		for _, f := range claim.Fields {
			fields = append(fields, [2]string{f.Name, f.Value})
		}
		var err error
		if kind == sim.ForgeMessage {
			b.forgedToNeighbours(c, claim)
		}
		if a.Fields, err = c.Claim(claim.Type, fields, kind == sim.ForgeMessage); err != nil {
			b.fail(" %s: %w", claim, err)
		}
		c.Actions = append(c.Actions, a)
	}
}

// forgedToNeighbours refuses a forgery that goes to others than neighbours.
func (b *builder) forgedToNeighbours(c *sim.Config, claim Claim) {
	if c.Edges == nil {
		return
	}
	var neighbours []int64
	for _, id := range b.s.Ring() {
		p, q := b.number[claim.Process], b.number[id]
		if slices.Contains(c.Edges, [2]tracefmt.ProcessID{p, q}) || slices.Contains(c.Edges, [2]tracefmt.ProcessID{q, p}) {
			neighbours = append(neighbours, id)
		}
	}
	for _, id := range claim.Receivers {
		if !slices.Contains(neighbours, id) {
			b.fail(" %s: %d is no neighbour of %d, whose neighbours are %s", claim, id, claim.Process, cmp.Or(FormatIDs(neighbours), "none"))
		}
	}
}

// traitor notes that a process is Byzantine.
func (b *builder) traitor(p tracefmt.ProcessID) {
	if p > 0 {
		b.run.Members[p-1].Attributes = []byte(`{"role":"` + tracefmt.Byzantine + `"}`)
	}
}
