package maelstrom

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// journal makes the run of a journal.
type journal struct {
	*interop.Builder
	nodes names
	cut   bool                // the network is partitioned
	sends map[string][]string // by envelope, the nodes that sent it
	ends  map[end]int         // the number of arrivals of a message at a node
	open  map[call]string     // the operations without an answer, with their types
	begun map[string]bool     // nodes that got init
	lives bool                // lines record the starts and crashes of nodes
	last  map[string]lastLine // by node
	done  map[call]bool       // the broadcasts that a node has answered
	lists map[call]int        // reads of all values without an answer, with the number of the node's earlier replies
	// replies are the replies to reads of all values, by node.
	replies map[string]*replies
}

// lastLine is the last line of a node so far.
type lastLine struct {
	line int
	time time.Time
}

// end is the arrival of a message at a node.
type end struct{ envelope, node string }

// call is an operation of a client, by the id of its request.
type call struct{ client, id string }

// names is a set of names in the order in which they were added.
type names struct {
	nodes []string
	seen  map[string]bool
}

// add adds the names that are new.
func (n *names) add(names ...string) {
	if n.seen == nil {
		n.seen = make(map[string]bool)
	}
	for _, name := range names {
		if !n.seen[name] && name != "" {
			n.seen[name] = true
			n.nodes = append(n.nodes, name)
		}
	}
}

// survey collects the facts that describe the run, in a first pass over all lines.
type survey struct {
	nodes, actors names // the nodes that the init messages name, and the nodes of the lines
	problem       string
	starts        bool          // some line records the start of a node
	run           *Line         // the line that describes the run, nil for none
	done          map[call]bool // the broadcasts that a node has answered
}

// add adds a line.
func (s *survey) add(rec *record) {
	if rec.body.Type == "init" {
		s.nodes.add(rec.body.NodeIDs...)
	}
	if _, known := facts[rec.body.Type]; known {
		s.problem = tracefmt.Raft
	}
	if rec.state != valid {
		return
	}
	s.actors.add(rec.Node)
	if rec.Ev == "send" && (rec.body.Type == "broadcast_ok" || rec.body.Type == "add_ok") {
		if s.done == nil {
			s.done = map[call]bool{}
		}
		s.done[call{rec.Msg.Dest, string(rec.body.InReplyTo)}] = true
	}
	switch rec.Ev {
	case "start":
		s.starts = true
	case runLine:
		if s.run == nil {
			s.run = &rec.Line
		}
	}
}

// newJournal begins the run.
func newJournal(r *interop.Reading, s *survey) (*journal, error) {
	j := &journal{
		lives: s.starts, nodes: s.nodes, sends: make(map[string][]string), ends: make(map[end]int), open: make(map[call]string),
		begun: make(map[string]bool), last: make(map[string]lastLine), done: s.done,
		lists: make(map[call]int), replies: make(map[string]*replies),
	}
	run := tracefmt.Run{Problem: s.problem}
	for _, name := range s.nodes.nodes {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: len(run.Members) + 1})
	}
	for _, name := range s.actors.nodes {
		if s.nodes.seen[name] {
			continue
		}
		m := tracefmt.Member{Name: name, Position: len(run.Members) + 1}
		if len(s.nodes.nodes) > 0 {
			m.Attributes = []byte(`{"role":"client"}`)
		}
		run.Members = append(run.Members, m)
	}
	var complete *tracefmt.Completeness
	if s.run != nil {
		var err error
		complete, err = tracefmt.ParseCompleteness(s.run.Complete)
		if err != nil && s.run.Complete != "" {
			return nil, r.Errorf(0, "complete: %w", err)
		}
		run.Name, run.Source = s.run.Name, tracefmt.Recorded
	}
	j.Builder = r.Build(run)
	j.Completeness = complete
	return j, nil
}

// add adds the events of a line.
func (j *journal) add(rec *record) {
	if rec.state != valid {
		j.Skip(rec.line, rec.text)
		if rec.state == damaged {
			j.Gap("", 0)
		}
		return
	}
	switch rec.Ev {
	case runLine:
		return
	case restLine:
		j.End = tracefmt.Quiescent
		return
	}
	e := interop.Entry{Line: rec.line, Text: rec.text, Time: rec.time(), Kind: kinds[rec.Ev].kind, Process: rec.Node}
	switch e.Kind {
	case tracefmt.Send:
		j.addState(rec, e)
		j.invoke(rec, e)
		j.addReply(rec, e)
		j.send(rec, e)
		j.addBroadcast(rec, e)
	case tracefmt.Receive:
		j.restart(rec, e)
		j.receive(rec, e)
		j.addBroadcast(rec, e)
		j.reply(rec, e)
	case tracefmt.Lose:
		reason := "dropped"
		if j.cut {
			reason = "partitioned"
		}
		e.Fields = []interop.Field{interop.Text("reason", cmp.Or(rec.Reason, reason))}
		j.end(rec, e)
	case tracefmt.Note:
		e.Text, e.Type = rec.Text, rec.Label // a line of the node's own log has no label: pictures show its words
		if e.Text == "" {
			e.Type = cmp.Or(rec.Label, "log")
		}
		j.Add(e)
	case tracefmt.Start, tracefmt.Halt, tracefmt.Crash, tracefmt.Recover:
		if rec.Reason != "" {
			e.Fields = []interop.Field{interop.Text("reason", rec.Reason)}
		}
		j.repliesOf(rec.Node).restart()
		j.Add(e)
	default:
		// A partition or its end is an event of the network.
		e.Process, e.Fields = "", j.network(rec, e.Kind)
		j.Add(e)
		return
	}
	if e.Kind != tracefmt.Lose {
		j.last[rec.Node] = lastLine{rec.line, rec.time()}
	}
}

// restart adds the inferred crash and the recovery of a node that gets init again. The journal has no line of
// the crash.
func (j *journal) restart(rec *record, e interop.Entry) {
	if rec.body.Type != "init" || j.lives {
		return
	}
	if before := j.last[rec.Node]; j.begun[rec.Node] {
		j.Add(interop.Entry{Line: before.line, Time: before.time, Kind: tracefmt.Crash, Inferred: true, Process: rec.Node})
		e.Kind = tracefmt.Recover
		j.Add(e)
		j.repliesOf(rec.Node).restart()
	}
	j.begun[rec.Node] = true
}

// maxOthers bounds the nodes of a run in which a partition without groups names all nodes. A line that isolates
// a node has 30 bytes, and must not become an event with a million names.
const maxOthers = 100

// network registers a partition or its end, and returns the groups.
func (j *journal) network(rec *record, kind tracefmt.Kind) []interop.Field {
	j.cut = kind == tracefmt.Partition
	switch {
	case len(rec.Groups) > 0:
		return []interop.Field{interop.JSON("groups", appendGroups(nil, rec.Groups))}
	case !j.cut:
		return nil
	}
	groups := [][]string{{rec.Node}}
	if len(j.nodes.nodes) <= maxOthers {
		groups = append(groups, slices.DeleteFunc(slices.Clone(j.nodes.nodes), func(name string) bool { return name == rec.Node }))
	}
	return []interop.Field{interop.JSON("groups", appendGroups(nil, groups))}
}

// appendGroups appends groups of names as JSON.
func appendGroups(b []byte, groups [][]string) []byte {
	b = append(b, '[')
	for i, names := range groups {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, name := range names {
			if k > 0 {
				b = append(b, ',')
			}
			b = tracefmt.AppendString(b, name)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

// envelope returns the key of a message, equal in all its lines: its id or, without one, a digest of its content.
func (rec *record) envelope() string {
	if rec.ID != 0 {
		return strconv.FormatInt(rec.ID, 10)
	}
	sum := sha256.Sum256(rec.Msg.Body)
	return rec.Msg.Src + "\n" + rec.Msg.Dest + "\n" + string(sum[:])
}

// named returns the name of the k-th message with an envelope.
func named(envelope string, k int) string { return strconv.Itoa(k) + "\n" + envelope }

// send adds the send of the line.
func (j *journal) send(rec *record, e interop.Entry) {
	envelope := rec.envelope()
	j.sends[envelope] = append(j.sends[envelope], rec.Node)
	e.Peer, e.Message = rec.Msg.Dest, named(envelope, len(j.sends[envelope]))
	e.Type, e.Fields = rec.body.Type, rec.fields()
	j.Add(e)
}

// receive adds the receive of the line.
func (j *journal) receive(rec *record, e interop.Entry) {
	e.Fields = rec.fields()
	j.end(rec, e)
}

// end adds a receive or loss. A message that arrives more often than it was sent is a duplicate of the last
// send.
func (j *journal) end(rec *record, e interop.Entry) {
	envelope := rec.envelope()
	at := end{envelope, rec.Node}
	j.ends[at]++
	senders := j.sends[envelope]
	k := min(j.ends[at], max(1, len(senders)))
	e.Peer = rec.Msg.Src
	if len(senders) > 0 {
		e.Peer = senders[k-1]
	}
	e.Type, e.Message = rec.body.Type, named(envelope, k)
	j.Add(e)
}

// fields returns the fields of the body, except its type.
func (rec *record) fields() []interop.Field {
	var fields []interop.Field
	for key, value := range tracefmt.Fields(rec.Msg.Body) {
		if string(key) != "type" {
			fields = append(fields, interop.JSON(string(key), value))
		}
	}
	return fields
}

// isClient reports whether the name is that of a client: it begins with c.
func isClient(name string) bool { return strings.HasPrefix(name, "c") }
