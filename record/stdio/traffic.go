package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"etrace/record"
	"etrace/tracefmt"
	"etrace/tracefmt/interop/maelstrom"
	"etrace/tracefmt/text"
)

// mostWords is the limit for the shown part of a node's last line.
const mostWords = 200

// readOutput handles the messages that a node has read and the lines that it has printed. It reports whether the
// node has printed anything.
func (h *harness) readOutput(n *node) bool {
	lines := n.proc.stdout.take()
	h.recordReceived(n)
	for _, line := range lines {
		h.handleLine(n, line)
	}
	n.logged = append(n.logged, n.proc.stderr.take()...)
	return len(lines) > 0
}

// recordLog records the lines that a node has logged.
func (h *harness) recordLog(n *node) {
	for _, line := range n.logged {
		h.write(maelstrom.Line{Ev: "log", Node: n.name, Text: string(bytes.ToValidUTF8(line, []byte("\uFFFD")))})
	}
	n.lastWords = lastWords(n.logged, n.lastWords)
	n.logged = nil
}

// lastWords returns the last line that is not blank, after a colon; without such a line it returns before.
func lastWords(lines [][]byte, before string) string {
	for _, line := range slices.Backward(lines) {
		if len(bytes.TrimSpace(line)) > 0 {
			return ": " + text.Printable(text.Short(string(bytes.ToValidUTF8(line, []byte("\uFFFD"))), mostWords))
		}
	}
	return before
}

// recordReceived records the messages that a node has read.
func (h *harness) recordReceived(n *node) {
	if len(n.written) == 0 {
		return
	}
	taken := n.proc.readBytes()
	for len(n.written) > 0 && n.written[0].end <= taken {
		d := n.written[0]
		h.write(maelstrom.Line{Ev: "recv", Node: n.name, Msg: &d.msg, ID: d.id})
		n.written = n.written[1:]
	}
}

// A node may print mostAtOnce bytes to stdout, and mostPerSecond more for each second in which the harness waits, in
// lockstep for each second of the run; the same holds for stderr. A line counts as lineCost bytes more, since each
// line is an event.
const mostAtOnce, mostPerSecond, lineCost = 16 << 20, 2 << 20, 160

// endFlood kills a node that has printed more than is allowed, such as a program that prints without end, and
// ends the run. The run keeps the output until then.
func (h *harness) endFlood(n *node) (ended bool) {
	// While the harness reads a flood it hardly waits. The time of the run would allow more than a slow machine reads.
	seconds := h.waited / 1e9
	if h.config.Lockstep {
		seconds = h.now() / 1e9
	}
	allowed := mostAtOnce + int64(seconds)*mostPerSecond
	name := ""
	switch {
	case n.proc.stdout.allowOutput(allowed):
		name = "stdout"
	case n.proc.stderr.allowOutput(allowed):
		name = "stderr"
	default:
		return false
	}
	h.kill(n)
	h.write(maelstrom.Line{Ev: "crash", Node: n.name, Reason: "killed, since it printed too much"})
	h.notes = append(h.notes, fmt.Sprintf("%s has printed too much to %s: %d MiB and %d MiB a second are allowed, where a line "+
		"counts as %d bytes more; the node is killed and the run ends", n.name, name, mostAtOnce>>20, mostPerSecond>>20, lineCost))
	h.endRun()
	return true
}

// mostNames bounds the foreign names of a node in notes.
const mostNames = 10

// noteForeignSource notes, once for each name, that a node sends messages with another src than its own name.
func (h *harness) noteForeignSource(n *node, name string, line []byte) {
	if name == n.name || len(n.foreign) == mostNames || slices.Contains(n.foreign, name) {
		return
	}
	n.foreign = append(n.foreign, name)
	remark := fmt.Sprintf("%s has sent a message with the src %s, expected %s; it is sent on as it is: %s", n.name,
		text.Printable(text.Short(name, mostWords)), n.name, text.Printable(text.Short(string(line), mostWords)))
	if len(n.foreign) == mostNames {
		remark += "; further names are not listed"
	}
	h.notes = append(h.notes, remark)
}

// The labels of notes about lines that are not messages, and about messages to unknown receivers.
const (
	malformed     = "malformed"
	undeliverable = "undeliverable"
)

// handleLine handles a line that a node has printed.
func (h *harness) handleLine(n *node, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	note := func(label string) {
		h.write(maelstrom.Line{Ev: "note", Node: n.name, Label: label, Text: string(bytes.ToValidUTF8(line, []byte("\uFFFD")))})
	}
	var m maelstrom.Message
	var body struct {
		Type string `json:"type"`
	}
	body.Type = ""
	if json.Unmarshal(line, &m) != nil || m.Src == "" || m.Dest == "" || len(m.Body) == 0 || m.Body[0] != '{' {
		note(malformed)
		if !n.printedGarbage {
			n.printedGarbage = true
			h.notes = append(h.notes, n.name+" has printed a line that is no message: "+text.Printable(text.Short(string(line), mostWords)))
		}
		return
	}
	h.noteForeignSource(n, m.Src, line)
	_ = json.Unmarshal(m.Body, &body) // a type that is not a string counts as missing
	target, toNode := h.numbers[m.Dest]
	var asks *client
	for _, c := range h.clients {
		if c.name == m.Dest {
			asks = c
		}
	}
	if !toNode && asks == nil {
		note(undeliverable)
		if !h.undelivered {
			h.undelivered = true
			receiver := text.Printable(text.Short(m.Dest, mostWords))
			h.notes = append(h.notes, n.name+" has sent a message to "+receiver+", which is neither a node nor a client")
		}
		return
	}
	p := h.send(n.name, &m)
	if asks != nil {
		n.answered, h.answeredOnce = true, true
		h.callAfter(0, func() { h.handleAnswer(asks, p) })
		return
	}
	sent := record.Sent{Message: tracefmt.MessageID(p.id), From: n.id, To: target, Type: body.Type}
	if copies, lost := h.net.Send(&sent, &p); copies == 0 {
		h.write(maelstrom.Line{Ev: "drop", Node: m.Dest, Msg: &m, ID: p.id, Reason: lost})
	}
}

// send records that a node or client sends a message, and returns the message with its id.
func (h *harness) send(name string, m *maelstrom.Message) *parcel {
	h.messages++
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	h.fail(lines.Encode(m))
	h.write(maelstrom.Line{Ev: "send", Node: name, Msg: m, ID: h.messages})
	return &parcel{b.Bytes(), *m, h.messages}
}

// deliver writes a message to a node.
func (h *harness) deliver(n *node, p *parcel) {
	if n.proc == nil {
		h.write(maelstrom.Line{Ev: "drop", Node: n.name, Msg: &p.msg, ID: p.id, Reason: tracefmt.ReceiverCrashed.String()})
		return
	}
	if n.paused && h.config.Lockstep {
		n.held = append(n.held, p)
		return
	}
	n.bytes += int64(len(p.line))
	n.written = append(n.written, delivery{p, n.bytes})
	n.proc.write(p.line)
}
