package stdio

import (
	"encoding/json"
	"strconv"
	"time"

	"etrace/tracefmt/interop/maelstrom"
)

// client sends requests to one node, one at a time.
type client struct {
	name string
	node *node
	ids  int
	// open is the id of the request without an answer, 0 for none; since is the time of its send.
	open  int
	since time.Duration
}

// answer has the parts of a message that a client reads.
type answer struct {
	Type      string          `json:"type"`
	InReplyTo json.RawMessage `json:"in_reply_to"`
}

// randomPause returns a random time until a client acts again.
func (h *harness) randomPause() time.Duration {
	return pace/2 + time.Duration(h.random.Int64N(int64(pace)))
}

// askNext makes a client send its next request, if all nodes have begun, its own node is ready, and no request is
// open. It schedules its next call.
func (h *harness) askNext(c *client) {
	if h.closing {
		return
	}
	h.callAfter(h.randomPause(), func() { h.askNext(c) })
	if !h.begun {
		for _, n := range h.nodes {
			if n.proc != nil && !n.ready {
				return
			}
		}
		h.begun = true
	}
	waits := c.open != 0 && time.Duration(h.now())-c.since < patience
	if !c.node.ready || waits {
		return
	}
	h.ask(c, h.workload.request(h.asked, h.random))
	h.asked++
}

// ask makes a client send a request to its node, and schedules its arrival as the next event.
func (h *harness) ask(c *client, body map[string]any) {
	p := h.request(c, body)
	h.callAfter(0, func() { h.deliver(c.node, p) })
}

// request records that a client sends a request to its node, and returns the message.
func (h *harness) request(c *client, body map[string]any) *parcel {
	c.ids++
	c.open, c.since = c.ids, time.Duration(h.now())
	body["msg_id"] = c.ids
	raw, err := json.Marshal(body)
	h.fail(err)
	return h.send(c.name, &maelstrom.Message{Src: c.name, Dest: c.node.name, Body: raw})
}

// handleAnswer handles a message from a node to a client.
func (h *harness) handleAnswer(c *client, p *parcel) {
	h.write(maelstrom.Line{Ev: "recv", Node: c.name, Msg: &p.msg, ID: p.id})
	var a answer
	if json.Unmarshal(p.msg.Body, &a) != nil || string(a.InReplyTo) != strconv.Itoa(c.open) {
		return
	}
	c.open = 0
	switch {
	case c.node.proc == nil: // the node has ended since it answered
	case a.Type == "init_ok" && h.workload.topology:
		h.ask(c, map[string]any{"type": "topology", "topology": h.tree()})
	case a.Type == "init_ok", a.Type == "topology_ok":
		c.node.ready = true
	}
}

// tree returns the topology for broadcasts: a tree in which each node has at most four children.
func (h *harness) tree() map[string][]string {
	const fan = 4
	neighbours := map[string][]string{}
	for i, name := range h.names {
		if neighbours[name] == nil {
			neighbours[name] = []string{}
		}
		if i > 0 {
			parent := h.names[(i-1)/fan]
			neighbours[name] = append(neighbours[name], parent)
			neighbours[parent] = append(neighbours[parent], name)
		}
	}
	return neighbours
}
