package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Byzantine processes follow their algorithm, except where the plan interferes: it silences them, falsifies
// fields of what they send, to all receivers or some, and sends messages in their names. Passive Byzantine
// processes only send such forged messages. The trace records what is sent, true or not: a lie looks like any
// other message.

// lie replaces fields of the messages of a type that a process sends.
type lie struct {
	liar      tracefmt.ProcessID
	receivers []tracefmt.ProcessID // nil for all receivers
	typ       int32
	fields    []byte // the false values, a JSON object
}

// Forged returns all fields of a message type, given as names and JSON values, as the object that an action has. A
// text may lack its quotes. It fails if a field is missing.
func (c *Config) Forged(typ string, fields [][2]string) ([]byte, error) {
	object, err := c.Claim(typ, fields)
	if err != nil {
		return nil, err
	}
	spec, err := c.Protocol.messageSpec(typ)
	if err == nil && len(fields) < len(spec.fields) { // Claim refuses a field that is given twice
		err = fmt.Errorf("%s lacks one of its fields %s", typ, strings.Join(spec.names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return object, nil
}

// Claim is [Config.Forged] for some of the fields, about which a process lies.
func (c *Config) Claim(typ string, fields [][2]string) ([]byte, error) {
	spec, err := c.Protocol.messageSpec(typ)
	if err != nil {
		return nil, err
	}
	object, r := []byte{'{'}, newRoster(c.Members)
	var seen []string
	for _, given := range fields {
		name := given[0]
		i := spec.fieldIndex(name)
		switch {
		case i < 0 && len(spec.fields) == 0:
			return nil, fmt.Errorf("unknown field %s: %s has none", text.Quote(name), typ)
		case i < 0:
			return nil, text.Unknown("field of "+typ, name, spec.names())
		case slices.Contains(seen, name):
			return nil, fmt.Errorf("the field %s is given twice", name)
		}
		seen = append(seen, name)
		f := &spec.fields[i]
		value := reflect.New(f.typ)
		if err := f.parseWritten(r, given[1], value.UnsafePointer()); err != nil {
			return nil, fmt.Errorf("field %s of %s: %w", name, typ, err)
		}
		object = f.appendJSON(appendKey(object, f.name), r, value.UnsafePointer())
	}
	return append(object, '}'), nil
}

// Fields returns the fields of a message as a JSON object, from one JSON value: the value of its only field,
// where a text may lack its quotes, or an object of all fields; "" for a message without fields.
func (c *Config) Fields(typ, value string) ([]byte, error) {
	spec, err := c.Protocol.messageSpec(typ)
	if err != nil {
		return nil, err
	}
	switch {
	case len(spec.fields) == 0 && value == "":
		return []byte("{}"), nil
	case len(spec.fields) == 0:
		return nil, fmt.Errorf("%s has no fields, expected no value", typ)
	case len(spec.fields) == 1 && value != "":
		object, err := c.Forged(typ, [][2]string{{spec.fields[0].name, value}})
		if err == nil || value[0] != '{' {
			return object, err
		}
		// The value may also be an object with the only field.
	}
	if !strings.HasPrefix(value, "{") || !json.Valid([]byte(value)) {
		return nil, fmt.Errorf("the fields of %s are %s; expected an object of them, such as %s",
			typ, strings.Join(spec.names(), ", "), spec.example())
	}
	var fields [][2]string
	for key, field := range tracefmt.Fields([]byte(value)) {
		fields = append(fields, [2]string{string(key), string(field)})
	}
	return c.Forged(typ, fields)
}

// example returns a JSON object with the fields of a message, for errors.
func (m *messageSpec) example() string {
	parts := make([]string, len(m.fields))
	for i, name := range m.names() {
		parts[i] = `"` + name + `":...`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// messageSpec returns the declaration of a message type. The error suggests a known one.
func (pr *Protocol) messageSpec(name string) (*messageSpec, error) {
	i := pr.message(name)
	if i < 0 {
		return nil, text.Unknown("message type", name, pr.MessageNames())
	}
	return pr.messages[i], nil
}

// validateClaim returns an error for a lie or a forgery that the message type cannot carry.
func (c *Config) validateClaim(a *Action) error {
	forged := a.Kind == ForgeMessage
	if slices.Contains(a.Receivers, a.Process) || forged && len(a.Receivers) == 0 {
		return errors.New("a lie or a forged message goes to other processes")
	}
	if forged && c.Edges != nil {
		for _, q := range a.Receivers {
			edge, reverse := [2]tracefmt.ProcessID{a.Process, q}, [2]tracefmt.ProcessID{q, a.Process}
			if !slices.Contains(c.Edges, edge) && !slices.Contains(c.Edges, reverse) {
				return errors.New("a forged message goes to neighbours only")
			}
		}
	}
	var fields [][2]string
	for key, value := range tracefmt.Fields(a.Fields) {
		fields = append(fields, [2]string{string(key), string(value)})
	}
	object := c.Claim
	// A lie changes some fields of a message; a forged message must have all of them.
	if forged {
		object = c.Forged
	}
	_, err := object(a.Type, fields)
	return err
}

// misbehave takes an action of a Byzantine process: silence, a lie, or a forged message.
func (k *kernel) misbehave(p *Process, a *Action) {
	switch a.Kind {
	case SilenceProcess:
		p.silent = true
	case LieProcess:
		k.lies = append(k.lies, lie{p.id, a.Receivers, int32(k.protocol.message(a.Type)), a.Fields})
	case ForgeMessage:
		for _, q := range a.Receivers {
			k.forge(p, q, a)
		}
	}
}

// forge sends a message in the name of a process that is up. The process may be silent.
func (k *kernel) forge(p *Process, receiver tracefmt.ProcessID, a *Action) {
	if !p.ready() || !p.checkReceiver(receiver) {
		return
	}
	if m, err := k.parcel(p.id, receiver, a.Type, a.Fields); err == nil { // validated
		k.transmit(m)
	}
}

// falsify applies the lies to a message before it is sent.
func (k *kernel) falsify(m parcel) {
	for i := range k.lies {
		l := &k.lies[i]
		if l.liar != m.from || l.typ != m.typ || l.receivers != nil && !slices.Contains(l.receivers, m.receiver) {
			continue
		}
		spec := k.protocol.messages[m.typ]
		for key, value := range tracefmt.Fields(l.fields) {
			f := &spec.fields[spec.fieldIndex(string(key))]
			said := reflect.New(f.typ) // new memory, since the message may share parts with a variable
			if f.parse(k.roster, value, said.UnsafePointer()) == nil {
				reflect.NewAt(f.typ, f.address(k.fields(m))).Elem().Set(said.Elem())
			}
		}
	}
}
