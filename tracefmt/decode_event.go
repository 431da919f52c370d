package tracefmt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"etrace/tracefmt/text"
)

// parseEvent reads the line into d.event in one pass.
func (d *Decoder) parseEvent() error {
	d.event = Event{}
	s := scanner{b: d.buf}
	if d.buf[0] != '{' {
		return d.syntaxError()
	}
	d.keys = 0
	i := s.space(1)
	// The scanner checks the JSON while the fields are read, so a line is scanned only once. Each round ends
	// after a field, at a comma or at the closing brace.
	for next := 0; i < len(d.buf) && d.buf[i] != '}'; {
		start, name := i, d.expectedKey(i, &next)
		if name != nil {
			i += len(name) + len(`"":`)
		} else {
			i = s.key(i)
			if i < 0 {
				return d.syntaxError()
			}
			name = unquote(d.buf[start:skipString(d.buf, start)])
		}
		start, s.spaced = i, false
		i = s.value(i, 1)
		if i < 0 {
			return d.syntaxError()
		}
		key, err := d.field(name, d.buf[start:i], s.spaced)
		if err == nil && d.keys&key != 0 {
			err = errors.New("the key is given twice")
		}
		if err != nil {
			return d.errorf("%s: %w", text.Quote(string(name)), err)
		}
		d.keys |= key
		i = s.space(i)
		if i < len(d.buf) && d.buf[i] == ',' {
			i = s.space(i + 1)
			if i < len(d.buf) && d.buf[i] == '}' {
				return d.syntaxError()
			}
		} else if i >= len(d.buf) || d.buf[i] != '}' {
			return d.syntaxError()
		}
	}
	if i != len(d.buf)-1 {
		return d.syntaxError()
	}
	if d.event.Kind == 0 {
		return d.errorf("expected an event, which has a \"kind\"")
	}
	return nil
}

// eventKey is a set of the keys of an event.
type eventKey uint16

const (
	keySeq eventKey = 1 << iota
	keyTime
	keyProcess
	keyKind
	keyType
	keyPeer
	keyMessage
	keyCause
	keyLamport
	keyTerm
	keyPayload
)

// writtenKeys are the keys in the order in which the encoder writes them, as it writes them.
var writtenKeys = [...][]byte{
	[]byte(`"seq":`), []byte(`"time":`), []byte(`"process":`), []byte(`"kind":`), []byte(`"type":`), []byte(`"peer":`),
	[]byte(`"message":`), []byte(`"cause":`), []byte(`"lamport":`), []byte(`"term":`), []byte(`"payload":`),
}

// expectedKey returns the name of the key at index i of the line, if the encoder may have written it there: it is one
// of writtenKeys from index next on, and no white space follows it. It then advances next behind that key. Otherwise
// it returns nil. Most lines are written by the encoder, so most keys need not be scanned.
func (d *Decoder) expectedKey(i int, next *int) []byte {
	for k := *next; k < len(writtenKeys); k++ {
		if key := writtenKeys[k]; bytes.HasPrefix(d.buf[i:], key) && i+len(key) < len(d.buf) && d.buf[i+len(key)] > ' ' {
			*next = k + 1
			return key[1 : len(key)-2]
		}
	}
	return nil
}

// field sets one field of the event. The value is valid JSON; spaced is true if it contains insignificant white
// space.
func (d *Decoder) field(name, value []byte, spaced bool) (eventKey, error) {
	e := &d.event
	var err error
	switch string(name) {
	case "seq":
		return keySeq, integer(value, (*int64)(&e.Seq))
	case "time":
		return keyTime, integer(value, (*int64)(&e.Time))
	case "process":
		e.Process, err = d.member(value)
		return keyProcess, err
	case "kind":
		e.Kind, err = d.kind(value)
		return keyKind, err
	case "type":
		e.Type, err = d.intern(value)
		return keyType, err
	case "peer":
		e.Peer, err = d.member(value)
		return keyPeer, err
	case "message":
		return keyMessage, integer(value, (*int64)(&e.Message))
	case "cause":
		if string(value) == "null" {
			return keyCause, nil // no cause, even if the message determines one
		}
		return keyCause, integer(value, (*int64)(&e.Cause))
	case "lamport":
		return keyLamport, integer(value, &e.Lamport)
	case "term":
		return keyTerm, integer(value, &e.Term)
	case "payload":
		if value[0] != '{' {
			return 0, errors.New("expected a JSON object")
		}
		d.payload = append(d.payload[:0], value...)
		if spaced {
			d.payload = compact(value)
		}
		e.Payload = d.payload
		return keyPayload, nil
	}
	return 0, errors.New("an event has no such key")
}

// member returns the process that a JSON string or number names.
func (d *Decoder) member(value []byte) (ProcessID, error) {
	if p, ok := d.members[string(value)]; ok {
		return p, nil
	}
	name := string(value)
	if value[0] == '"' {
		if json.Unmarshal(value, &name) != nil {
			return 0, errors.New("expected a string")
		}
		// The string may use other escapes than AppendString.
		if p, ok := d.members[string(AppendString(nil, name))]; ok {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%s is not a member of the run", text.Quote(name))
}

// kind returns the kind of events that a JSON string names.
func (d *Decoder) kind(value []byte) (Kind, error) {
	if value[0] == '"' {
		if k, ok := kindByName[string(value[1:len(value)-1])]; ok {
			return k, nil
		}
	}
	name, err := d.intern(value)
	if err != nil {
		return 0, err
	}
	return ParseKind(name)
}

// intern returns the value of a JSON string; equal strings share memory.
func (d *Decoder) intern(value []byte) (string, error) {
	if s, ok := d.types[string(value)]; ok {
		return s, nil
	}
	var s string
	if value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", errors.New("expected a string")
	}
	if len(d.types) < maxInterned {
		d.types[string(value)] = s
	}
	return s, nil
}

// integer sets n to the value of a JSON number. It fails for a fraction, and for a number beyond 64 bits.
func integer(value []byte, n *int64) error {
	if len(value) < 19 { // fits into 64 bits; a JSON number has no leading zeros
		parsed := int64(0)
		for _, c := range value {
			if c < '0' || c > '9' {
				parsed = -1
				break
			}
			parsed = 10*parsed + int64(c-'0')
		}
		if parsed >= 0 {
			*n = parsed
			return nil
		}
	}
	i, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not an integer between %d and %d", text.Short(string(value), 65), math.MinInt64, math.MaxInt64)
	}
	*n = i
	return nil
}
