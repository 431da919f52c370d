package tracefmt

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Origin is the place in a log from which an event was imported.
type Origin struct {
	// File is the name of the log at the import, "" for stdin.
	File string
	// Line is the first line of the entry, from 1; 0 without a place.
	Line int64
}

// IsZero reports whether there is no place.
func (o Origin) IsZero() bool { return o.Line == 0 }

// String writes the place in the form of editors, "n1.log:12", or "line 12"; "" without a place.
func (o Origin) String() string {
	switch {
	case o.IsZero():
		return ""
	case o.File == "":
		return fmt.Sprintf("line %d", o.Line)
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Origin returns the place in the log, as stored in the payload under [LogKey]. Only imported events have one.
func (e *Event) Origin() Origin {
	if !bytes.Contains(e.Payload, lineKey) {
		return Origin{}
	}
	log, _ := e.Field(LogKey)
	var o Origin
	for key, value := range Fields(log) {
		switch string(key) {
		case "file":
			if value[0] != '"' {
				return Origin{}
			}
			o.File = string(unquote(value))
		case "line":
			o.Line, _ = ParseInteger(value)
		}
	}
	if o.Line < 1 {
		return Origin{}
	}
	return o
}

// lineKey quickly excludes payloads without a place.
var lineKey = []byte(`"line":`)

// LoggedMessage returns the name of the message in the log, for an imported event without a matching other end;
// "" otherwise.
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

// LoggedClock returns the logged vector clock of an imported event, a raw JSON object of names and counts; nil
// without one.
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

// GuessKey is true, in the object under [LogKey], of a receive or loss that was matched to one of several
// possible sends by inference.
const GuessKey = "guess"

// GuessedSend reports whether the send of the event was inferred.
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
