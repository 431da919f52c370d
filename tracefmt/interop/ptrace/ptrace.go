package ptrace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"etrace/tracefmt/interop"
)

// Format reads traces of P's checker.
var Format = interop.Format{
	Name:     "p-trace",
	Doc:      `traces of the checker of P: a JSON array of {"type", "details"}`,
	Describe: func() string { return description },
	Source:   "p-org/P at 260da928f675, its JSON trace of the checker",
	Detect:   detect,
	Read:     read,
}

const description = `An entry is what a state machine does, by its type:

  CreateStateMachine            start; the last event of what created it is a cause
  StateTransition               a state that is entered: the variable state; a note for one that is left
  SendEvent                     send
  ReceiveEvent, DequeueEvent    receive, of the oldest equal event to the machine that its clock newly knows
  Halt                          halt
  any other                     a note of that type, such as RaiseEvent, ExceptionThrown, GotoState

What a monitor does is a note of no process, and so is an AssertionFailure: it is a statement of the checker on the run, not what happened.
`

// sign matches the beginning of a trace of P's checker.
var sign = regexp.MustCompile(`^\s*\[\s*\{\s*("type"\s*:\s*"\w+"\s*,\s*"details"|"details"\s*:\s*\{\s*"log")`)

func detect(head []byte) interop.Confidence {
	return interop.SureIf(sign.Match(bytes.TrimPrefix(head, []byte("\uFEFF"))))
}

// entry is an entry of the array.
type entry struct {
	line    int
	Type    string
	Details json.RawMessage
	details
}

// details are the fields of an entry that this format reads.
type details struct {
	Log, Sender, Target, Monitor, CreatorName, Event, State string

	ID      string `json:"id"`
	IsEntry bool
	Payload json.RawMessage
	Clock   map[string]int64
}

// read reads the file twice, so that no entry is kept: the first pass finds where the clocks begin, the second
// makes the run.
func read(r *interop.Reading) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	clocks := beginnings{}
	if line, err := entries(text, clocks.see); err != nil {
		return r.Errorf(r.Line(line), "%w", err)
	}
	t := newTrace(r, clocks)
	_, err = entries(text, t.add)
	return err
}

// entries parses the array and calls see for each entry; line is the line at which it ends or is malformed.
func entries(text string, see func(*entry)) (line int, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	at := int64(0)
	line = 1
	count := func() {
		to := min(dec.InputOffset(), int64(len(text)))
		line += strings.Count(text[at:to], "\n")
		at = to
	}
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return line, errors.New(`expected an array of {"type", "details"}`)
	}
	for dec.More() {
		count()
		if blank := strings.IndexByte(text[at:], '{'); blank > 0 {
			line += strings.Count(text[at:at+int64(blank)], "\n")
			at += int64(blank)
		}
		e := entry{line: line}
		if err := dec.Decode(&e); err != nil {
			return line, inWords(err)
		}
		if err := e.read(); err != nil {
			return line, err
		}
		see(&e)
	}
	_, err = dec.Token()
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("expected one JSON document, here something follows it")
		}
	}
	count()
	return line, inWords(err)
}

// inWords explains a JSON error in terms of the format.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends inside the JSON document")
	case errors.As(err, &wrong):
		return fmt.Errorf(`an entry is a %s, expected {"type", "details"}`, wrong.Value)
	}
	return err
}

// read reads the details. Fields that this format does not know may have any value.
func (e *entry) read() error {
	if e.Type == "" || !bytes.HasPrefix(e.Details, []byte("{")) {
		return errors.New(`expected an entry {"type": NAME, "details": {…}}`)
	}
	if err := json.Unmarshal(e.Details, &e.details); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%s of a %s is a %s, which it cannot be", wrong.Field, e.Type, wrong.Value)
		}
		return err
	}
	return nil
}

// machine returns the state machine of the entry: "" for a monitor, or if none is named.
func (e *entry) machine() string {
	switch {
	case e.Monitor != "" || strings.HasPrefix(e.Type, "Monitor"):
		return ""
	case e.ID != "":
		return e.ID
	}
	return e.Sender
}
