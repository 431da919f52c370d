package maelstrom

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// Format reads journals.
var Format = interop.Format{
	Name:     "maelstrom",
	Doc:      "journals of Maelstrom's node protocol: JSON lines with msg.src, msg.dest and msg.body",
	Describe: func() string { return description },
	Source:   "jepsen-io/maelstrom at cb7f07239012, doc/protocol.md, doc/workloads.md, demo/python/raft.py",
	Detect:   detect,
	Read:     read,
}

const description = `A line has an event (ev), its node, and its time (t, seconds since the start). The events are: send, recv and drop
of a message (msg); log with a line; note with a label and a line; start, halt, crash and recover of a node; partition
and heal.

  {"seq":1,"t":0.1,"ev":"send","node":"n1","msg":{"src":"n1","dest":"n2","body":{"type":"echo","msg_id":1}}}

The node of a send is the sender, also if it forwards the unchanged request of a client. A recv or drop belongs to the
send with the same id. Without ids, the k-th recv of a src, dest and body belongs to the k-th send of them. Processes that
receive an init message are nodes, all others are clients. A second init message shows that the node was killed: its crash
is inferred after its last line, unless the journal records the starts of nodes. A first line run, which etrace record
--exec writes, has the name of the run and its completeness, in the form of --complete.

The requests read, write and cas of a client (c1, c2, ...) are operations on a key; echo and generate are operations, too.
An operation ends with the first answer. A request to broadcast a value, or to add it to a set, becomes a note broadcast:
of the node if it confirms the request, else of the client. A node gets a note deliver when it first returns a value to a
client, and a note read for each read of all values. A note lost has values that a read lacks, although an earlier read of
the node returned them: it has the number of the earlier read, which ended before the request of the later one, without a
restart between the two.

A last line rest states that no work is left. In Maelstrom's demonstration of Raft, the messages request_vote,
request_vote_res, append_entries and append_entries_res show candidates, votes, leaders and followers.
`

var sign = regexp.MustCompile(`(?m)^\s*\{.*"msg"\s*:\s*\{[^{}]*"(?:src|dest|body)"\s*:`)

func detect(head []byte) interop.Confidence {
	return interop.SureIf(sign.Match(head) && bytes.Contains(head, []byte(`"body"`)) && bytes.Contains(head, []byte(`"ev"`)))
}

// Line is a line of a journal. A writer fills in the fields of its kind of line.
type Line struct {
	// T is the time in seconds since the start.
	T    float64 `json:"t"`
	Ev   string  `json:"ev"`
	Node string  `json:"node,omitempty"`
	// Msg is the message of send, recv and drop.
	Msg *Message `json:"msg,omitempty"`
	// ID joins the lines of one message. Without ids, lines with equal messages are joined.
	ID int64 `json:"id,omitempty"`
	// Text is the logged line of a node, or the text of a note.
	Text string `json:"line,omitempty"`
	// Label is the label of a note.
	Label string `json:"label,omitempty"`
	// Reason is the reason of a drop or a crash. The default for a drop during a partition is partitioned.
	Reason string `json:"reason,omitempty"`
	// Groups are the groups of a partition or heal; a partition without groups isolates Node.
	Groups [][]string `json:"groups,omitempty"`
	// Name and Complete describe the run, see [tracefmt.ParseCompleteness].
	Name     string `json:"name,omitempty"`
	Complete string `json:"complete,omitempty"`
}

// Message is a message of the node protocol.
type Message struct {
	Src  string          `json:"src"`
	Dest string          `json:"dest"`
	Body json.RawMessage `json:"body"`
}

// record is a line of a journal, parsed.
type record struct {
	Line
	line  int
	text  string
	body  body
	state validity
}

// validity is the validity of a line.
type validity uint8

const (
	valid   validity = iota
	strange          // a line of an unknown kind
	damaged          // no line of a journal: any event may be lost with it
)

// body holds the fields common to all bodies, and the fields that are read here.
type body struct {
	Type      string
	MsgID     json.RawMessage `json:"msg_id"`
	InReplyTo json.RawMessage `json:"in_reply_to"`
	NodeIDs   []string        `json:"node_ids"`
	Code      int64
	Key       json.RawMessage
	Echo, ID  json.RawMessage
	// Message is the value that a client broadcasts, Element the value that it adds to a set. A read returns Messages.
	Message, Element, Messages json.RawMessage
	Value                      json.RawMessage
	From, To                   json.RawMessage
	Term                       int64
	Vote                       bool `json:"vote_granted"`
	Success                    bool
}

// runLine is the kind of the line that describes the run.
const runLine = "run"

// kinds are the kinds of lines. If message is true, the line needs the message itself.
var kinds = map[string]struct {
	kind    tracefmt.Kind
	message bool
}{
	"send":      {tracefmt.Send, true},
	"recv":      {tracefmt.Receive, true},
	"drop":      {tracefmt.Lose, true},
	"log":       {tracefmt.Note, false},
	"note":      {tracefmt.Note, false},
	"start":     {tracefmt.Start, false},
	"halt":      {tracefmt.Halt, false},
	"crash":     {tracefmt.Crash, false},
	"recover":   {tracefmt.Recover, false},
	"partition": {tracefmt.Partition, false},
	"heal":      {tracefmt.Heal, false},
}

// restLine is the kind of the last line of a run that ended quiescent.
const restLine = "rest"

// read reads the lines twice: the first pass finds what describes the run, the second makes its events.
func read(r *interop.Reading) error {
	lines, first := r.Keep(), survey{}
	for n, line := range r.Lines() {
		if strings.TrimSpace(line) != "" {
			rec := parse(n, line)
			first.add(&rec)
			lines.Add(n, line)
		}
	}
	j, err := newJournal(r, &first)
	if err != nil {
		return err
	}
	for n, line := range lines.All() {
		rec := parse(n, line)
		j.add(&rec)
	}
	return nil
}

// parse reads a line.
func parse(n int, line string) record {
	rec := record{line: n, text: line}
	if json.Unmarshal([]byte(line), &rec.Line) != nil || rec.Ev == "" {
		return record{line: n, text: line, state: damaged}
	}
	k, known := kinds[rec.Ev]
	switch {
	case rec.Ev == runLine, rec.Ev == restLine:
	case !known:
		rec.state = strange
	case k.kind.Info().Process == tracefmt.Required && rec.Node == "", k.message && !rec.parseMessage():
		rec.state = damaged
	}
	return rec
}

// parseMessage parses the message of the line; it returns false without a valid message.
func (rec *record) parseMessage() bool {
	var b bytes.Buffer
	if rec.Msg == nil || rec.Msg.Src == "" || rec.Msg.Dest == "" {
		return false
	}
	if json.Compact(&b, rec.Msg.Body) != nil || b.Bytes()[0] != '{' {
		return false
	}
	rec.Msg.Body = b.Bytes()
	// Other workloads may use a field with another type. The error is ignored, since the other fields are set.
	_ = json.Unmarshal(rec.Msg.Body, &rec.body)
	return true
}

// time returns the time of the line.
func (rec *record) time() time.Time {
	return time.Unix(0, int64(math.Round(rec.T*float64(time.Second))))
}
