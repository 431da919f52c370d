package stdio

import (
	"encoding/json"
	"fmt"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/maelstrom"
)

// MessageOf returns the message of a send, receive or loss that was read from a journal, as its envelope was: who
// wrote a message need not be its src.
func MessageOf(e *tracefmt.Event) (*maelstrom.Message, error) {
	var log struct{ Text string }
	raw, _ := e.Field(tracefmt.LogKey)
	var line maelstrom.Line
	if json.Unmarshal(raw, &log) != nil || json.Unmarshal([]byte(log.Text), &line) != nil || line.Msg == nil {
		return nil, fmt.Errorf("seq %d has no message of Maelstrom's protocol, expected one that etrace record --exec recorded or a journal had", e.Seq)
	}
	return line.Msg, nil
}
