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

// chart are the events of the files, by thread.
type chart struct {
	*interop.Builder
	events  []*chromeEvent
	slices  map[string][]*slice // by thread, by start
	points  []mark
	flows   map[string][]flowPoint
	sent    int
	unbound int
	others  int
}

// slice is a stretch of a thread.
type slice struct {
	*chromeEvent
	start, end micros
}

// flowPoint is where a flow touches a slice. One that begins does not come from another; one
// that ends goes to no other.
type flowPoint struct {
	*slice
	name         string
	at           micros
	begins, ends bool
}

// mark is an entry at its place in a thread.
type mark struct {
	at    micros
	rank  int    // of what happens at one time: starts, receives, sends, ends
	depth micros // of starts the longest first, of ends the one that began last
	entry interop.Entry
}

func newChart(r *interop.Reading) *chart {
	c := &chart{Builder: r.Build(tracefmt.Run{TimeUnit: tracefmt.Nanoseconds}), slices: make(map[string][]*slice), flows: make(map[string][]flowPoint)}
	c.ByTime = true
	return c
}

// build makes the run of the events.
func (c *chart) build() {
	slices.SortStableFunc(c.events, func(one, other *chromeEvent) int { return cmp.Compare(one.Time, other.Time) })
	c.nameProcesses()
	names := c.threads()
	c.findSlices(names)
	for _, e := range c.events {
		c.findFlow(e)
	}
	for _, e := range c.events { // in the order in which the flows occur
		for _, id := range []string{"id " + e.flow(e.ID) + " " + e.Category + " " + string(e.Name), "bind " + e.flow(e.Bound)} {
			c.send(names, c.flows[id])
			delete(c.flows, id)
		}
	}
	slices.SortStableFunc(c.points, func(one, other mark) int {
		return cmp.Or(cmp.Compare(one.at, other.at), cmp.Compare(one.rank, other.rank), cmp.Compare(other.depth, one.depth))
	})
	for _, p := range c.points {
		p.entry.Time = time.Unix(0, int64(p.at))
		c.Add(p.entry)
	}
	if c.unbound > 0 {
		c.Note("%s to no slice, left out", text.Counted(c.unbound, "event of a flow belongs", "events of flows belong"))
	}
	if c.others > 0 {
		c.Note("%s no slice, instant or flow, left out", text.Counted(c.others, "event is", "events are"))
	}
}

// nameProcesses tells the processes of several files apart. A number that they give to
// processes of different names, or of none, is of as many processes.
func (c *chart) nameProcesses() {
	type numbered struct {
		file string
		pid  word
	}
	labels, files := make(map[numbered]word), make(map[word]map[string]bool)
	for _, e := range c.events {
		if e.Phase == "M" && e.Name == "process_name" && e.file != "" {
			labels[numbered{e.file, e.PID}] = firstOf(e.Args["name"])
		}
	}
	for _, e := range c.events {
		if files[e.PID] == nil {
			files[e.PID] = make(map[string]bool)
		}
		files[e.PID][e.file] = true
	}
	for _, e := range c.events {
		switch label := labels[numbered{e.file, e.PID}]; {
		case len(files[e.PID]) == 1:
			e.process = e.PID
		case label != "":
			e.process = label + " " + e.PID
		default:
			e.process = word(e.file) + "/" + e.PID
		}
	}
}

// threads names the threads: by their process, if it has one of them only.
func (c *chart) threads() map[string]string {
	process, thread := make(map[word]string), make(map[string]string)
	several := make(map[word]map[word]bool)
	for _, e := range c.events {
		switch label := string(firstOf(e.Args["name"])); {
		case e.Phase == "M" && e.Name == "process_name":
			process[e.process] = label
		case e.Phase == "M" && e.Name == "thread_name":
			thread[e.thread()] = label
		case e.Phase != "M":
			if several[e.process] == nil {
				several[e.process] = make(map[word]bool)
			}
			several[e.process][e.TID] = true
		}
	}
	names, taken := make(map[string]string), make(map[string]string)
	for _, e := range c.events {
		name := cmp.Or(process[e.process], string(e.process))
		if len(several[e.process]) > 1 {
			name += "/" + cmp.Or(thread[e.thread()], string(e.TID))
		}
		if by := taken[name]; name == "" || by != "" && by != e.thread() {
			name = e.thread()
		}
		if e.Phase != "M" {
			names[e.thread()], taken[name] = name, e.thread()
		}
	}
	return names
}

// firstOf is the word that a JSON value is.
func firstOf(value []byte) (w word) {
	if len(value) > 0 {
		_ = w.UnmarshalJSON(value) // it takes everything
	}
	return w
}

// findSlices takes in slices and instants.
func (c *chart) findSlices(names map[string]string) {
	open := make(map[string][]*slice)
	for _, e := range c.events {
		thread := e.thread()
		switch e.Phase {
		case "X":
			c.slices[thread] = append(c.slices[thread], &slice{e, e.Time, e.Time + max(e.Duration, 0)})
		case "B":
			s := &slice{e, e.Time, -1}
			c.slices[thread], open[thread] = append(c.slices[thread], s), append(open[thread], s)
		case "E":
			if stack := open[thread]; len(stack) > 0 {
				stack[len(stack)-1].end = e.Time
				open[thread] = stack[:len(stack)-1]
			} else {
				c.Find("begun-before", e.line, "a slice of thread %s ends, but none is open", text.Quote(names[thread]))
			}
		case "i", "I", "n":
			c.points = append(c.points, mark{e.Time, 1, 0, c.entry(e, tracefmt.Note, names)})
		case "s", "t", "f", "M":
		default:
			c.others++
		}
	}
	for thread, all := range c.slices {
		for _, s := range all {
			e := c.entry(s.chromeEvent, tracefmt.Note, names)
			c.points = append(c.points, mark{s.start, 1, s.end - s.start, e})
			if s.end < 0 {
				s.end = 1<<63 - 1 // it is open at the end
				continue
			}
			e.Text, e.Type, e.Extra = "end "+e.Type, "end", nil
			e.Fields = []interop.Field{interop.Text("slice", string(s.Name))}
			c.points = append(c.points, mark{s.end, 4, s.start, e})
		}
		slices.SortStableFunc(c.slices[thread], func(one, other *slice) int { return cmp.Compare(one.start, other.start) })
	}
	slices.SortStableFunc(c.points, func(one, other mark) int { return cmp.Compare(one.entry.Line, other.entry.Line) })
}

func (c *chart) entry(e *chromeEvent, kind tracefmt.Kind, names map[string]string) interop.Entry {
	return interop.Entry{Line: e.line, Text: string(e.Name), Kind: kind, Type: string(e.Name), Process: names[e.thread()], Extra: e.fields()}
}

// findFlow takes in where an event touches a flow.
func (c *chart) findFlow(e *chromeEvent) {
	if e.Phase == "X" && (e.Out || e.In) && len(e.Bound) > 0 {
		id := "bind " + e.flow(e.Bound)
		c.flows[id] = append(c.flows[id], flowPoint{&slice{e, e.Time, e.Time + e.Duration}, string(e.Name), e.Time, !e.In, !e.Out})
		return
	}
	if e.Phase != "s" && e.Phase != "t" && e.Phase != "f" {
		return
	}
	s := c.sliceAt(e)
	if s == nil {
		c.unbound++
		return
	}
	id := "id " + e.flow(e.ID) + " " + e.Category + " " + string(e.Name)
	c.flows[id] = append(c.flows[id], flowPoint{s, string(e.Name), max(e.Time, s.start), e.Phase == "s", e.Phase == "f"})
}

// sliceAt is the slice to which an event of a flow belongs, nil for none.
func (c *chart) sliceAt(e *chromeEvent) *slice {
	all := c.slices[e.thread()]
	after, _ := slices.BinarySearchFunc(all, e.Time, func(s *slice, at micros) int { return cmp.Compare(s.start, at) })
	if e.Phase == "f" && e.Binds != "e" {
		if after == len(all) {
			return nil
		}
		return all[after]
	}
	for after < len(all) && all[after].start == e.Time {
		after++
	}
	const most = 1 << 10 // deep stacks are not searched forever
	for i := after - 1; i >= max(0, after-most); i-- {
		if all[i].end >= e.Time {
			return all[i]
		}
	}
	return nil
}

// send makes messages of a flow, one from each of its points to the next. One that goes no
// further without an end is not received.
func (c *chart) send(names map[string]string, points []flowPoint) {
	slices.SortStableFunc(points, func(one, other flowPoint) int { return cmp.Compare(one.at, other.at) })
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		if from.ends || to.begins {
			continue
		}
		c.sent++
		s, r := c.entry(from.chromeEvent, tracefmt.Send, names), c.entry(to.chromeEvent, tracefmt.Receive, names)
		s.Peer, r.Peer = r.Process, s.Process
		for _, e := range []*interop.Entry{&s, &r} {
			e.Type, e.Message, e.Extra = from.name, strconv.Itoa(c.sent), nil
		}
		c.points = append(c.points, mark{from.at, 3, 0, s}, mark{to.at, 2, 0, r})
	}
}
