package spans

import (
	"encoding/json"
	"time"

	"etrace/tracefmt/interop"
)

// role is what a span has to do with a message.
type role uint8

const (
	internal role = iota
	server
	client
	producer
	consumer
)

// id names a span.
type id struct{ trace, span string }

// span is one of either format.
type span struct {
	id
	line       int
	service    string
	instance   string
	name       string
	role       role
	start, end time.Time
	attributes []interop.Field
	refs       []id // its parent, and those to which it links
	events     []happening
	failed     string // what went wrong, as it says
	sampled    bool   // others were left out
}

// happening is an event of a span.
type happening struct {
	time       time.Time
	name       string
	attributes []interop.Field
}

// attribute returns the value of an attribute that is a text, "" if there is none.
func attribute(all []interop.Field, key string) string {
	var s string
	for _, f := range all {
		if f.Key == key && json.Unmarshal(f.Value, &s) == nil {
			return s
		}
	}
	return ""
}

// whatIsOne is the user's choice of what one run is.
var whatIsOne = interop.Option{
	Name: "one-run", Arg: "WHAT", Choices: []string{"all", "trace"}, Default: "all",
	Doc: "WHAT is one run: all spans of all files together, or those of each trace",
}
