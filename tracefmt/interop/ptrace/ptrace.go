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

const description = `An entry is a step of a state machine. Its type decides the event:

  CreateStateMachine            start; its cause is the last event of the creator
  StateTransition               a change of the variable state, or a note if the machine leaves a state
  SendEvent                     send
  ReceiveEvent, DequeueEvent    receive, of the oldest equal event for the machine that its vector clock newly includes
  Halt                          halt
  any other                     a note of that type, such as RaiseEvent, ExceptionThrown, GotoState

Steps of a monitor become notes without a process. So does an AssertionFailure: it is a verdict of the checker, no step
of a machine.
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

// details are the parts of an entry that this format reads.
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

// entries passes each entry of the array to see. It returns the line at which the array ends or is invalid.
func entries(text string, see func(*entry)) (line int, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	at := int64(0)
	line = 1
	count := func() {
		end := min(dec.InputOffset(), int64(len(text)))
		line += strings.Count(text[at:end], "\n")
		at = end
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

// inWords rewrites an error of the JSON decoder in words of this format.
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

// machine returns the machine that the entry is about: "" for a monitor, and if none is named.
func (e *entry) machine() string {
	switch {
	case e.Monitor != "" || strings.HasPrefix(e.Type, "Monitor"):
		return ""
	case e.ID != "":
		return e.ID
	}
	return e.Sender
}
