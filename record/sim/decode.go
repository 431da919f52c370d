package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// decoder reads messages and timers of a trace by their declarations: what
// payload and timerName write, and the same in another order or notation.
type decoder struct {
	protocol *Protocol
	types    map[string]MessageType
	values   map[string]tracefmt.ProcessID // processes by JSON value
	names    map[string]tracefmt.ProcessID
}

func newDecoder(c *Config) decoder {
	d := decoder{
		protocol: c.Protocol, types: map[string]MessageType{},
		values: map[string]tracefmt.ProcessID{"null": 0}, names: map[string]tracefmt.ProcessID{},
	}
	for t := range c.Protocol.messages {
		d.types[c.Protocol.messages[t].name] = MessageType(t)
	}
	run := &tracefmt.Run{Members: c.Members}
	for i, m := range c.Members {
		p := tracefmt.ProcessID(i + 1)
		d.names[m.Name] = p
		d.values[string(run.AppendProcess(nil, p))] = p
		d.values[string(tracefmt.AppendString(nil, m.Name))] = p
	}
	return d
}

// message returns the message that arrives at a receive event.
func (d *decoder) message(e *tracefmt.Event) (Message, error) {
	t, ok := d.types[e.Type]
	if !ok {
		return Message{}, text.Unknown("message type", e.Type, d.protocol.MessageNames())
	}
	spec := &d.protocol.messages[t]
	m := Message{Type: t, From: e.Peer, to: e.Process, used: len(spec.fields)}
	missing := uint(1)<<spec.parts() - 1
	for key, value := range tracefmt.Fields(e.Payload) {
		switch string(key) {
		case tracefmt.CausesKey, tracefmt.LogKey:
			continue // what the trace says about the event
		}
		i := spec.part(string(key))
		if i < 0 {
			return m, text.Unknown("field of "+spec.name, string(key), spec.partNames())
		}
		if err := d.part(&m, spec, i, value); err != nil {
			return m, fmt.Errorf("field %s of %s: %w", key, spec.name, err)
		}
		missing &^= 1 << i
	}
	if missing != 0 {
		return m, fmt.Errorf("%s lacks one of its fields %s", spec.name, strings.Join(spec.partNames(), ", "))
	}
	return m, nil
}

// parts is the number of fields, with the list as the last.
func (m *messageSpec) parts() int {
	if m.list == "" {
		return len(m.fields)
	}
	return len(m.fields) + 1
}

// part returns the place of a field, -1 for a name that there is not.
func (m *messageSpec) part(name string) int {
	i := slices.IndexFunc(m.fields, func(f Field) bool { return f.name == name })
	if i < 0 && m.list != "" && name == m.list {
		return len(m.fields)
	}
	return i
}

func (m *messageSpec) partNames() []string {
	var names []string
	for _, f := range m.fields {
		names = append(names, f.name)
	}
	if m.list != "" {
		names = append(names, m.list)
	}
	return names
}

// part reads the i-th field of a message.
func (d *decoder) part(m *Message, spec *messageSpec, i int, value []byte) (err error) {
	switch {
	case i < len(spec.fields):
		m.fields[i], err = d.scalar(spec.fields[i].kind, value)
	case spec.words != nil:
		m.list, err = d.table(spec.words, value)
	default:
		m.list, err = d.list(value)
	}
	return err
}

func (d *decoder) scalar(kind varKind, value []byte) (int64, error) {
	if kind == processVar {
		p, err := d.process(value)
		return int64(p), err
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q, expected an integer", value)
	}
	return n, nil
}

// process reads null, a number that is a name, or a string.
func (d *decoder) process(value []byte) (tracefmt.ProcessID, error) {
	if p, ok := d.values[string(value)]; ok {
		return p, nil
	}
	var name string // it may be escaped in another way than ours
	if json.Unmarshal(value, &name) == nil {
		if p, ok := d.names[name]; ok {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%q, expected a process", value)
}

func (d *decoder) list(value []byte) ([]tracefmt.ProcessID, error) {
	var raw []json.RawMessage
	if json.Unmarshal(value, &raw) != nil {
		return nil, fmt.Errorf("%q, expected a list of processes", value)
	}
	var list []tracefmt.ProcessID
	for _, v := range raw {
		p, err := d.process(v)
		if err != nil || p == 0 {
			return nil, fmt.Errorf("%q in a list of processes, expected a process", v)
		}
		list = append(list, p)
	}
	return list, nil
}

func (d *decoder) table(words []string, value []byte) ([]tracefmt.ProcessID, error) {
	var raw map[string]string
	if json.Unmarshal(value, &raw) != nil {
		return nil, fmt.Errorf("%q, expected an object of processes", value)
	}
	table := make([]tracefmt.ProcessID, len(d.names))
	for name, word := range raw {
		p, ok := d.names[name]
		if !ok {
			return nil, fmt.Errorf("%q, expected a process", name)
		}
		i := slices.Index(words, word)
		if i < 0 {
			return nil, fmt.Errorf("%q, expected one of %s", word, strings.Join(words, ", "))
		}
		table[p-1] = tracefmt.ProcessID(i + 1)
	}
	return table, nil
}

// timer returns the timer of a recorded name, such as answer or answer#2.
func (d *decoder) timer(name string) (Timer, error) {
	declared, number, numbered := strings.Cut(name, "#")
	i := slices.Index(d.protocol.timers, declared)
	n := int64(0)
	if numbered {
		var err error
		if n, err = strconv.ParseInt(number, 10, 32); err != nil || n < 1 {
			i = -1
		}
	}
	if i < 0 {
		return 0, text.Unknown("timer", name, d.protocol.timers)
	}
	return Timer(i).At(n), nil
}
