package tracefmt

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Origin is the place of a log from which an event was imported.
type Origin struct {
	// File is the log as it was named at the import, "" for stdin.
	File string
	// Line is where the entry begins, from 1; 0 where there is no place.
	Line int64
}

// IsZero reports whether there is no place: the event is from no log.
func (o Origin) IsZero() bool { return o.Line == 0 }

// String writes the place as editors read it, "n1.log:12", or "line 12"; "" for none.
func (o Origin) String() string {
	switch {
	case o.IsZero():
		return ""
	case o.File == "":
		return fmt.Sprintf("line %d", o.Line)
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Origin returns the place of the log that the event is from, as its payload says under
// [LogKey]. An event of a trace that was not imported has none.
func (e *Event) Origin() Origin {
	if !bytes.Contains(e.Payload, lineKey) {
		return Origin{}
	}
	log, _ := e.Field(LogKey)
	var o Origin
	for key, value := range Fields(log) {
		switch string(key) {
		case "file":
			if json.Unmarshal(value, &o.File) != nil {
				return Origin{}
			}
		case "line":
			o.Line, _ = ParseInteger(value)
		}
	}
	if o.Line < 1 {
		return Origin{}
	}
	return o
}

// lineKey tells in little time the payloads without a place.
var lineKey = []byte(`"line":`)

// LoggedMessage returns what the log calls the message that an imported event is an end of, where
// the log has no other end of it; "" for none.
func (e *Event) LoggedMessage() (name string) {
	if !bytes.Contains(e.Payload, messageKey) {
		return ""
	}
	log, _ := e.Field(LogKey)
	for key, value := range Fields(log) {
		if string(key) == "message" && json.Unmarshal(value, &name) != nil {
			return ""
		}
	}
	return name
}

var messageKey = []byte(`"message":`)

// LoggedClock returns the vector clock that the log has for an imported event, a JSON
// object of names and counts, as it is; nil for none.
func (e *Event) LoggedClock() []byte {
	if !bytes.Contains(e.Payload, clockKey) {
		return nil // most traces have none
	}
	log, _ := e.Field(LogKey)
	for key, value := range Fields(log) {
		if string(key) == "clock" {
			return value
		}
	}
	return nil
}

// GuessKey is true, in the object under [LogKey], of a receive or loss of which the log does not
// say to which of several sends it belongs: its cause and message are a guess.
const GuessKey = "guess"

// GuessedSend reports whether it is a guess which send the event belongs to.
func (e *Event) GuessedSend() bool {
	if e.Kind != Receive && e.Kind != Lose || !bytes.Contains(e.Payload, guessKey) {
		return false
	}
	log, _ := e.Field(LogKey)
	for key, value := range Fields(log) {
		if string(key) == GuessKey {
			return string(value) == "true"
		}
	}
	return false
}

var guessKey = []byte(`"` + GuessKey + `":true`)

var clockKey = []byte(`"clock"`)
