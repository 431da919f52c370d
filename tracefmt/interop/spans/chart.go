package spans

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// chromeRun collects the trace events of all files, and makes the run of them. It keeps equal names once, and
// arguments as text, since a file may have an event in ten bytes.
type chromeRun struct {
	*interop.Builder
	events  []event
	threads threads
	words   internedTexts
	flowIDs internedTexts
	flows   [][]flowPoint // by flow
	args    *interop.Kept
	marks   []mark
	sent    int // the number of messages so far
	unbound int // flow events outside any slice
	ignored int // events of phases that become no event of the run
}

// event is a kept trace event. A slice is represented by the event that begins it.
type event struct {
	time, end    micros // end is stillOpen for a slice without an end
	line, thread int32
	name, flow   int32 // in words and flowIDs, 0 for no flow
	args         int32 // in chart.args, -1 for none
	phase        byte
	begins, ends bool // of a flow event: it is the first, or the last, of its flow
	enclosed     bool // of a flow event: it belongs to the slice that is open then, otherwise to the next one
}

const stillOpen micros = -1

// internedTexts numbers texts, so that equal texts are kept once. Number 0 is the empty text.
type internedTexts struct {
	texts  []string
	number map[string]int32
}

func newInterned() internedTexts { return internedTexts{[]string{""}, map[string]int32{"": 0}} }

// add returns the number of a text.
func (i *internedTexts) add(s string) int32 {
	n, ok := i.number[s]
	if !ok {
		n = int32(len(i.texts))
		i.texts, i.number[s] = append(i.texts, s), n
	}
	return n
}

// flowPoint is a slice that a flow passes through, with the time of the flow's event.
type flowPoint struct {
	at           micros
	slice, name  int32
	begins, ends bool
}

// mark is an entry of the run at its place in its thread.
type mark struct {
	at            micros
	depth         micros // orders marks of equal time and rank: the longest slices start first, and the latest begun end first
	event, peer   int32  // indices in events; peer is the slice at the other end of a message
	name, message int32
	rank          rank
}

// rank orders the marks of one time.
type rank uint8

const (
	starts rank = iota
	receives
	sends
	stops
)

// newChart begins a run.
func newChart(r *interop.Reading) *chromeRun {
	c := &chromeRun{
		Builder: r.Build(tracefmt.Run{TimeUnit: tracefmt.Nanoseconds}), threads: newThreads(),
		words: newInterned(), flowIDs: newInterned(), args: r.Keep(),
	}
	c.ByTime = true
	return c
}

// add keeps an event of the present file.
func (c *chromeRun) add(file string, e *chromeEvent, line int) {
	thread := c.threads.add(file, e)
	next := event{time: e.Time, end: stillOpen, line: int32(line), thread: thread, name: c.words.add(string(e.Name)), args: -1}
	switch e.Phase {
	case "X":
		next.end = e.Time + max(e.Duration, 0)
		if (e.Out || e.In) && len(e.Bound) > 0 {
			next.flow, next.begins, next.ends = c.flowIDs.add("bind "+flowID(e.Bound)), !e.In, !e.Out
		}
	case "s", "t", "f":
		next.flow = c.flowIDs.add("id " + flowID(e.ID) + " " + e.Category + " " + string(e.Name))
		next.begins, next.ends, next.enclosed = e.Phase == "s", e.Phase == "f", e.Phase != "f" || e.Binds == "e"
	case "B", "E", "i", "I", "n": // begin and end of a span, and instants, need no more
	case "M":
		return
	default:
		c.ignored++
		return
	}
	next.phase = e.Phase[0]
	if len(e.Args) > 0 && next.hasWords() {
		next.args = int32(c.args.Add(line, e.arguments()))
	}
	c.events = append(c.events, next)
}

func (e *event) isSlice() bool { return e.phase == 'X' || e.phase == 'B' }

// isInstant reports whether the event is an instant.
func (e *event) isInstant() bool { return e.phase == 'i' || e.phase == 'I' || e.phase == 'n' }

// hasWords reports whether the arguments of the event become part of the run.
func (e *event) hasWords() bool { return e.isSlice() || e.isInstant() }

// addRun makes the run of the events of all files.
func (c *chromeRun) addRun() {
	slices.SortStableFunc(c.events, func(x, y event) int { return cmp.Compare(x.time, y.time) })
	number := c.threads.nameThreads()
	for i := range c.events {
		c.events[i].thread = number[c.events[i].thread]
	}
	c.findEnds()
	c.markEvents()
	c.findFlows()
	// An effect comes after its cause. Slices of equal length at one time are nested as in the file.
	slices.SortStableFunc(c.marks, func(x, y mark) int {
		order := cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.rank, y.rank), cmp.Compare(y.depth, x.depth))
		if order == 0 && (x.rank == starts || x.rank == stops) {
			return cmp.Compare(c.events[x.event].line, c.events[y.event].line)
		}
		return order
	})
	for i := range c.marks {
		c.Add(c.entry(&c.marks[i]))
	}
	if c.unbound > 0 {
		c.Note("%s to no slice, left out", text.Counted(c.unbound, "event of a flow belongs", "events of flows belong"))
	}
	if c.ignored > 0 {
		c.Note("%s no slice, instant or flow, left out", text.Counted(c.ignored, "event is", "events are"))
	}
}

// findEnds pairs the events that begin a slice with the events that end it.
func (c *chromeRun) findEnds() {
	open := make([][]int32, len(c.threads.names))
	for i := range c.events {
		switch e := &c.events[i]; e.phase {
		case 'B':
			open[e.thread] = append(open[e.thread], int32(i))
		case 'E':
			stack := open[e.thread]
			if len(stack) == 0 {
				c.Find("begun-before", int(e.line), "a slice of thread %s ends, but none is open", text.Quote(c.threads.names[e.thread]))
				continue
			}
			c.events[stack[len(stack)-1]].end = e.time
			open[e.thread] = stack[:len(stack)-1]
		}
	}
}

// markEvents adds marks for the beginnings and ends of slices, and for instants.
func (c *chromeRun) markEvents() {
	for i := range c.events {
		e := &c.events[i]
		switch {
		case e.isInstant():
			c.marks = append(c.marks, mark{at: e.time, rank: starts, event: int32(i)})
		case e.isSlice():
			c.marks = append(c.marks, mark{at: e.time, rank: starts, depth: e.end - e.time, event: int32(i)})
			if e.end != stillOpen {
				c.marks = append(c.marks, mark{at: e.end, rank: stops, depth: e.time, event: int32(i)})
			}
		}
	}
}

// findFlows turns the flows into messages, in the order of their first events.
func (c *chromeRun) findFlows() {
	c.flows = make([][]flowPoint, len(c.flowIDs.texts))
	inThread := make([][]int32, len(c.threads.names)) // slices, by start
	for i := range c.events {
		if e := &c.events[i]; e.isSlice() {
			inThread[e.thread] = append(inThread[e.thread], int32(i))
		}
	}
	length := make([]int, len(c.flows))
	for i := range c.events {
		length[c.events[i].flow]++
	}
	for i := range c.events {
		e := &c.events[i]
		if e.flow == 0 {
			continue
		}
		if c.flows[e.flow] == nil {
			c.flows[e.flow] = make([]flowPoint, 0, length[e.flow])
		}
		slice, ok := int32(i), true
		if e.phase != 'X' {
			slice, ok = c.sliceAt(inThread[e.thread], e)
		}
		if !ok {
			c.unbound++
			continue
		}
		c.flows[e.flow] = append(c.flows[e.flow], flowPoint{max(e.time, c.events[slice].time), slice, e.name, e.begins, e.ends})
	}
	for i := range c.events {
		if flow := c.events[i].flow; flow > 0 {
			c.addMessages(c.flows[flow])
			c.flows[flow] = nil
		}
	}
}

// sliceAt returns the slice of a thread that an event of a flow belongs to; false without one.
func (c *chromeRun) sliceAt(byStart []int32, e *event) (slice int32, ok bool) {
	next, _ := slices.BinarySearchFunc(byStart, e.time, func(s int32, at micros) int { return cmp.Compare(c.events[s].time, at) })
	// An event of a flow that is not enclosed belongs to the first slice that begins at its time or later.
	if !e.enclosed {
		if next == len(byStart) {
			return 0, false
		}
		return byStart[next], true
	}
	// Otherwise it belongs to the latest begun slice that is still open.
	for next < len(byStart) && c.events[byStart[next]].time == e.time {
		next++
	}
	const limit = 1 << 10 // bounds the search in deep stacks
	for i := next - 1; i >= max(0, next-limit); i-- {
		if end := c.events[byStart[i]].end; end >= e.time || end == stillOpen {
			return byStart[i], true
		}
	}
	return 0, false
}

// addMessages makes a message from each point of a flow to the next one. A flow without an end has a last message that
// is not received.
func (c *chromeRun) addMessages(points []flowPoint) {
	slices.SortStableFunc(points, func(x, y flowPoint) int { return cmp.Compare(x.at, y.at) })
	c.marks = slices.Grow(c.marks, 2*max(len(points)-1, 0))
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		if from.ends || to.begins {
			// A flow may use its id again: then the next point begins another flow.
			continue
		}
		c.sent++
		c.marks = append(c.marks,
			mark{at: from.at, rank: sends, event: from.slice, peer: to.slice, name: from.name, message: int32(c.sent)},
			mark{at: to.at, rank: receives, event: to.slice, peer: from.slice, name: from.name, message: int32(c.sent)})
	}
}

// entry returns the entry of a mark.
func (c *chromeRun) entry(m *mark) interop.Entry {
	e := &c.events[m.event]
	name := c.words.texts[e.name]
	entry := interop.Entry{
		Line: int(e.line), Text: name, Kind: tracefmt.Note, Type: name, Process: c.threads.names[e.thread],
		Time: time.Unix(0, int64(m.at)),
	}
	switch m.rank {
	case starts:
		entry.Extra = c.arguments(e)
	case stops:
		entry.Text, entry.Type, entry.Fields = "end "+name, "end", []interop.Field{interop.Text("slice", name)}
	default:
		entry.Kind = tracefmt.Send
		if m.rank == receives {
			entry.Kind = tracefmt.Receive
		}
		entry.Type, entry.Message = c.words.texts[m.name], strconv.Itoa(int(m.message))
		entry.Peer = c.threads.names[c.events[m.peer].thread]
	}
	return entry
}

// arguments returns the arguments of an event as fields.
func (c *chromeRun) arguments(e *event) (fields []interop.Field) {
	if e.args < 0 {
		return nil
	}
	for key, value := range tracefmt.Fields([]byte(c.args.At(int(e.args)))) {
		fields = append(fields, interop.JSON(string(key), slices.Clone(value)))
	}
	return fields
}
