package stdio

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"time"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/maelstrom"
)

// completeness names the kinds of events that a recording has completely: only etrace starts the nodes and brings
// them messages.
const completeness = "messages,start,halt,crash,recover,partition,heal,invoke,return,note"

// Record runs the nodes until c.Until, or until ctx ends, and writes the run to a sink. After an error the sink
// has no run. No node runs when Record returns. A run that ctx ended has the events up to then.
func Record(ctx context.Context, c Config, sink tracefmt.Sink) (interop.Report, error) {
	if err := c.validate(); err != nil {
		return interop.Report{}, err
	}
	r, w := io.Pipe()
	journal := io.Writer(w)
	if c.Journal != nil {
		journal = io.MultiWriter(w, c.Journal)
	}
	var report interop.Report
	read := make(chan error, 1)
	go func() {
		// The end of ctx ends the run. The lines printed until then are still read.
		input, err := interop.NewInput("", r)
		if err == nil {
			report, err = interop.Import(context.WithoutCancel(ctx), maelstrom.Format, input, sink, interop.Settings{Tool: c.Tool})
		}
		r.CloseWithError(err)
		read <- err
	}()
	notes, err := run(ctx, &c, journal)
	w.CloseWithError(err)
	if imported := <-read; err == nil {
		err = imported
	}
	var placed *interop.Error // the user has not seen the lines of the journal
	if errors.As(err, &placed) {
		err = placed.Err
	}
	report.Notes = append(report.Notes, notes...)
	return report, err
}

// harness is the network of the nodes, with their clients.
type harness struct {
	config       *Config
	workload     Workload
	journal      *bufio.Writer
	lines        *json.Encoder
	net          network.Network[*parcel]
	random       *rand.Rand
	nodes        []*node // by ProcessID - 1
	clients      []*client
	names        []string // the names of the nodes
	numbers      map[string]tracefmt.ProcessID
	timers       map[int64]func()
	number       int64     // the number of timers so far
	messages     int64     // the number of messages sent so far
	asked        int       // the number of requests so far
	begun        bool      // all nodes have been ready
	answeredOnce bool      // some node has printed a message to its client
	idleSince    time.Time // while the run is closing: the time since which nothing but the nodes themselves may act
	undelivered  bool      // some message had an unknown receiver
	closing      bool      // clients send no more requests, and no fault happens
	began        time.Time
	waited       tracefmt.Time // the time spent waiting for output and for scheduled events
	wake         chan struct{}
	endRun       context.CancelFunc // ends the run as it is
	// notes name the nodes that ended before they were ready, faults without effect, and the reason why a run does not end
	// at rest.
	notes []string
	err   error
}

// parcel is a message to a node.
type parcel struct {
	line []byte
	msg  maelstrom.Message
	id   int64
}

// node is a node of the run in all its incarnations.
type node struct {
	name           string
	id             tracefmt.ProcessID
	proc           *process // nil while it is down
	ran            bool     // it was started before, so its next start is a recovery
	halted         bool     // its program ended by itself with status 0, and does not start again
	ready          bool     // it has answered init
	paused         bool
	held           []*parcel  // in lockstep, the messages that arrive while it is paused
	answered       bool       // the incarnation has printed a message to its client
	printedGarbage bool       // it has printed a line that is no message
	written        []delivery // messages to the incarnation that may be unread, in order
	bytes          int64      // the number of bytes written to the incarnation
	logged         [][]byte
	foreign        []string // other names than its own that its messages had as src
	// lastWords is the last line that it has logged, after a colon.
	lastWords string
}

// delivery is a message to a node; end is the offset of its end in all bytes written to the incarnation.
type delivery struct {
	*parcel
	end int64
}

// run runs the nodes, and writes the journal. It starts all nodes from one thread, since they die with it. It
// returns notes about the run.
func run(ctx context.Context, c *Config, journal io.Writer) (notes []string, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h := newHarness(c, journal)
	defer h.killAll()
	ctx, h.endRun = context.WithCancel(ctx)
	defer h.endRun()
	h.write(maelstrom.Line{Ev: "run", Name: c.Name, Complete: completeness})
	h.scheduleStart(ctx)
	for _, n := range h.nodes {
		h.start(ctx, n)
	}
	until := tracefmt.Time(c.Until)
	h.drive(ctx, until)
	rests := h.finish(ctx)
	if ctx.Err() == nil {
		h.noteUnmatchedRules()
	}
	for _, n := range h.nodes {
		if n.proc != nil && !n.answered {
			h.notes = append(h.notes, n.name+" has not answered init")
		}
	}
	if h.killAll() && rests {
		h.write(maelstrom.Line{Ev: "rest"})
	}
	return h.notes, errors.Join(h.err, h.journal.Flush())
}

// newHarness returns the harness before its run.
func newHarness(c *Config, journal io.Writer) *harness {
	h := &harness{
		config: c, journal: bufio.NewWriterSize(journal, 64<<10), numbers: map[string]tracefmt.ProcessID{}, timers: map[int64]func(){},
		random: rand.New(rand.NewPCG(uint64(c.Seed), 0)), began: time.Now(), wake: make(chan struct{}, 1),
	}
	h.lines = json.NewEncoder(h.journal)
	h.lines.SetEscapeHTML(false)
	h.workload, _ = Workloads.Lookup(c.Workload)
	h.net.Restart(&c.Config, c.Nodes, h)
	for i := 1; i <= c.Nodes; i++ {
		number := strconv.Itoa(i)
		n := &node{name: "n" + number, id: tracefmt.ProcessID(i)}
		h.nodes, h.names = append(h.nodes, n), append(h.names, n.name)
		h.clients = append(h.clients, &client{name: "c" + number, node: n})
		h.numbers[n.name] = n.id
	}
	return h
}

// scheduleStart schedules the faults and the first requests.
func (h *harness) scheduleStart(ctx context.Context) {
	h.schedule(ctx)
	for _, c := range h.clients {
		h.callAfter(h.randomPause(), func() { h.askNext(c) })
	}
}

// callAfter schedules a function call.
func (h *harness) callAfter(d time.Duration, do func()) {
	h.number++
	h.timers[h.number] = do
	h.net.Schedule(h.now()+tracefmt.Time(d), network.Timer, 0, h.number)
}

// Armed implements [network.User].
func (h *harness) Armed(item network.Item) bool { return h.timers[item.Number] != nil }

// TimerName implements [network.User].
func (h *harness) TimerName(network.Item) string { return "" }

// Gone implements [network.User].
func (h *harness) Gone(tracefmt.ProcessID) bool { return false }

// now returns the time since the run began; in lockstep it is the time of the last event.
func (h *harness) now() tracefmt.Time {
	if !h.config.Lockstep {
		h.net.Advance(tracefmt.Time(time.Since(h.began)))
	}
	return h.net.Now()
}

// fail keeps the first error.
func (h *harness) fail(err error) {
	if h.err == nil && err != nil {
		h.err = err
	}
}

// write adds a line to the journal.
func (h *harness) write(l maelstrom.Line) {
	l.T = float64(h.now()) / 1e9
	h.fail(h.lines.Encode(&l))
}

// drive handles scheduled events and output until the given time. While the run is closing it also ends when the
// run is at rest.
func (h *harness) drive(ctx context.Context, until tracefmt.Time) {
	for h.err == nil && ctx.Err() == nil {
		waits := h.poll(ctx)
		if h.closing && h.isOver() {
			return
		}
		at := until
		if h.net.More() {
			at = min(at, h.net.NextAt())
		}
		if h.config.Lockstep || at <= h.now() {
			if at >= until {
				return
			}
			h.step(ctx, h.net.Next())
			continue
		}
		h.sleep(ctx, time.Duration(at-h.now()), waits)
	}
}

// finish waits for the end of all messages and requests. Then clients read the values of the nodes, if the
// workload ends so. It reports whether the run is at rest.
func (h *harness) finish(ctx context.Context) (rests bool) {
	h.closing = true
	h.closing = true
	rests = true
	// The loop has two rounds if the workload has final requests, otherwise one.
	for final := h.workload.final; ; final = "" {
		h.drive(ctx, max(h.now(), tracefmt.Time(h.config.Until))+tracefmt.Time(patience))
		reason := cmp.Or(h.pendingWork(), h.reasonToAct())
		if reason != "" && rests && h.err == nil && ctx.Err() == nil {
			h.notes = append(h.notes, "the run is not known to be at rest: "+reason)
		}
		rests = rests && reason == ""
		if final == "" || h.err != nil || ctx.Err() != nil {
			return rests && h.err == nil && ctx.Err() == nil
		}
		for _, c := range h.clients {
			if c.node.ready && c.open == 0 {
				h.ask(c, map[string]any{"type": final})
			}
		}
	}
}

// isOver reports whether the run can end: it is at rest, or has waited long enough for nodes that may act by
// themselves.
func (h *harness) isOver() bool {
	switch {
	case h.pendingWork() != "":
		h.idleSince = time.Time{}
		return false
	case h.reasonToAct() == "":
		return true
	case h.idleSince.IsZero():
		h.idleSince = time.Now()
	}
	grace := pace
	if h.workload.final != "" { // the final reads should see all values
		grace = patience
	}
	return time.Since(h.idleSince) >= grace
}

// pendingWork describes a message in flight, or a request without an answer; "" without one.
func (h *harness) pendingWork() string {
	if h.net.More() {
		return "messages are under way"
	}
	for i, n := range h.nodes {
		switch {
		case n.proc == nil:
		case n.paused:
			return n.name + " is paused"
		case len(n.written) > 0:
			return n.name + " has not read all its messages"
		case h.clients[i].open != 0:
			return h.clients[i].name + " waits for an answer of " + n.name
		}
	}
	return ""
}

// reasonToAct describes a node that may act without further input; "" without one.
func (h *harness) reasonToAct() string {
	for _, n := range h.nodes {
		if n.proc == nil {
			continue
		}
		if reason := n.proc.reasonToAct(); reason != "" {
			return n.name + " " + reason
		}
	}
	return ""
}

// pollInterval is the interval at which the harness checks whether a node has read its stdin.
const pollInterval = time.Millisecond

// sleep waits until an event is due, output arrives, or d has passed. waits is true if a node has unread input.
func (h *harness) sleep(ctx context.Context, d time.Duration, waits bool) {
	if waits || h.closing { // a node that begins to wait for input prints nothing, so it must be polled
		d = min(d, pollInterval)
	}
	due, from := time.NewTimer(d), time.Now()
	defer due.Stop()
	defer func() { h.waited += tracefmt.Time(time.Since(from)) }()
	select {
	case <-ctx.Done():
	case <-h.wake:
	case <-due.C:
	}
}

// notify wakes the harness.
func (h *harness) notify() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// step handles the next item of the network.
func (h *harness) step(ctx context.Context, item *network.Item) {
	switch item.Class {
	case network.Fault:
		if !h.closing {
			h.inject(ctx, &h.config.Actions[item.Number])
		}
	case network.Timer:
		do := h.timers[item.Number]
		delete(h.timers, item.Number)
		do()
	case network.Delivery:
		sent, p := h.net.Take(item)
		h.deliver(h.nodes[sent.To-1], *p)
	}
	if h.config.Lockstep {
		for _, n := range h.nodes {
			if len(n.written) > 0 && !n.paused {
				h.settle(ctx, n)
			}
		}
	}
}

// start starts a node or its next incarnation, and sends it init in the name of its client.
func (h *harness) start(ctx context.Context, n *node) {
	if h.err != nil {
		return
	}
	proc, err := start(h.config.Command, h.environment(), h.notify)
	if err != nil {
		h.fail(fmt.Errorf("%s: %w", n.name, err))
		return
	}
	n.proc, n.written, n.bytes, n.ready, n.answered = proc, nil, 0, false, false
	ev := "start"
	if n.ran {
		ev = "recover"
	}
	n.ran = true
	h.write(maelstrom.Line{Ev: ev, Node: n.name})
	if h.config.Lockstep {
		h.settle(ctx, n)
	}
	// A message of another node may be due already, and must not come before init.
	h.deliver(n, h.request(h.clients[n.id-1], map[string]any{"type": "init", "node_id": n.name, "node_ids": h.names}))
	if h.config.Lockstep {
		h.settle(ctx, n)
	}
}

// environment returns additional variables for the nodes. In lockstep, sets of Python have the same order in
// each run.
func (h *harness) environment() []string {
	if h.config.Lockstep {
		return []string{"PYTHONHASHSEED=0"}
	}
	return nil
}

// kill kills a node without warning. It records the input and output of the node until then; unread
// input is lost.
func (h *harness) kill(n *node) {
	n.proc.kill()
	h.readOutput(n)
	h.recordLog(n)
	for _, p := range n.held {
		n.written = append(n.written, delivery{parcel: p})
	}
	for _, d := range n.written {
		h.write(maelstrom.Line{Ev: "drop", Node: n.name, Msg: &d.msg, ID: d.id, Reason: tracefmt.ReceiverCrashed.String()})
	}
	n.proc.close()
	n.proc, n.written, n.held, n.ready, n.paused = nil, nil, nil, false, false
}

// killAll kills all nodes. Unread messages stay in flight. silent is true if the nodes have printed nothing since
// the last poll.
func (h *harness) killAll() (silent bool) {
	before := h.messages
	for _, n := range h.nodes {
		if n.proc == nil {
			continue
		}
		n.proc.kill()
		h.readOutput(n)
		h.recordLog(n)
		n.proc.close()
		n.proc = nil
	}
	return h.messages == before
}

// poll handles the messages that nodes have read, the lines that they have printed, and nodes that have ended.
// waits is true if a node has unread input.
func (h *harness) poll(ctx context.Context) (waits bool) {
	for _, n := range h.nodes {
		if n.proc == nil {
			continue
		}
		ended := n.proc.ended() // before its output is read, so that none of it is missed
		n.proc.flush()
		h.readOutput(n)
		h.recordLog(n)
		if ended {
			h.handleExit(n)
			continue
		}
		if h.endFlood(n) {
			continue
		}
		waits = waits || len(n.written) > 0
	}
	return waits
}

// handleExit handles a node that has ended by itself.
func (h *harness) handleExit(n *node) {
	state := n.proc.cmd.ProcessState
	h.kill(n)
	n.halted = state.Success()
	switch {
	case !n.answered:
		h.notes = append(h.notes, fmt.Sprintf("%s ended before it answered init: %v%s", n.name, state, n.lastWords))
	case !n.halted:
		h.notes = append(h.notes, fmt.Sprintf("%s ended by itself: %v%s", n.name, state, n.lastWords))
	}
	ev := "crash"
	if n.halted {
		ev = "halt"
	}
	h.write(maelstrom.Line{Ev: ev, Node: n.name, Reason: state.String()})
	if h.allFailed() {
		h.fail(errors.New(h.notes[0] + "; no node has answered init"))
	}
}

// allFailed reports whether all nodes have ended by themselves without an answer to a client, and no recovery is
// planned.
func (h *harness) allFailed() bool {
	recovers := func(a sim.Action) bool { return a.Kind == sim.RecoverProcess }
	alive := func(n *node) bool { return n.proc != nil }
	return !h.answeredOnce && !slices.ContainsFunc(h.nodes, alive) && !slices.ContainsFunc(h.config.Actions, recovers)
}

// settleLimit is the time for which a node may work on a message in lockstep.
const settleLimit = time.Minute

// settle waits until a node has read all its input and waits for more, or has ended.
func (h *harness) settle(ctx context.Context, n *node) {
	last, began := "", time.Now()
	for wait := 20 * time.Microsecond; n.proc != nil && h.err == nil && ctx.Err() == nil; wait = min(2*wait, time.Millisecond) {
		if n.proc.ended() {
			h.handleExit(n)
			return
		}
		n.proc.flush()
		runs, sleeps := n.proc.runCounts()
		printed := h.readOutput(n)
		// A node that prints without end never sleeps, so the limit has to be looked at here, too.
		if h.endFlood(n) {
			return
		}
		if sleeps && runs == last && !printed && len(n.written) == 0 {
			h.recordLog(n)
			return
		}
		last = runs
		// A node that runs has an unknown count, so the next comparison must fail.
		if !sleeps {
			last = ""
		}
		if time.Since(began) > settleLimit {
			h.fail(fmt.Errorf("%s does not wait for input after %v; --lockstep is for nodes that do", n.name, settleLimit))
		}
		time.Sleep(wait)
	}
}
