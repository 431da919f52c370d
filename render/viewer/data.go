package viewer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"etrace/render/view"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Verdict is the verdict on a property, as a page shows it.
type Verdict struct {
	Name, Verdict, Text string
	// Events are the seqs of the events that show a violation.
	Events []tracefmt.Seq
	// Further are the last events of the witnesses of further violations.
	Further []tracefmt.Seq
}

// maxEvents bounds the events of a page: browsers can hold a text of some 100 MB.
const maxEvents = 5_000_000

// chunkSize is the number of events that the script unpacks at a time.
const chunkSize = 4096

// maxBars bounds the stretches of the overview, and maxLabels the names in the list of kinds that can be hidden.
const maxBars, maxLabels = 300, 100

// run is the data of the script, as JSON. Events are numbered by their place in the page, from 0.
type run struct {
	Events    int64    `json:"events"`
	FirstSeq  int64    `json:"firstSeq"`
	Title     string   `json:"title"`
	Unit      string   `json:"unit"`
	Origin    string   `json:"origin,omitempty"` // the instant from which times count, "" if it is 0
	ChunkSize int      `json:"chunkSize"`
	Processes []string `json:"processes"` // by process; 0 is the network
	// Order lists the processes in the order of their columns, unless that is the order of Processes.
	Order    []int     `json:"order,omitempty"`
	Kinds    []string  `json:"kinds"`
	Labels   []label   `json:"labels"`
	Verdicts []verdict `json:"verdicts"`
	// HiddenProcesses and HiddenKinds are hidden at first; LeftOut counts the hidden events of other kinds and processes.
	HiddenProcesses []int    `json:"hiddenProcesses,omitempty"`
	HiddenKinds     []string `json:"hiddenKinds,omitempty"`
	LeftOut         int64    `json:"leftOut,omitempty"`
	// Group is the attribute by which Groups, by process, are made.
	Group    string   `json:"group,omitempty"`
	Groups   []string `json:"groups,omitempty"`
	Overview [][2]int `json:"overview"` // messages and faults of each stretch
	// Before is the state of the processes where the window begins, by process.
	Before map[tracefmt.ProcessID]*before `json:"before,omitempty"`
	Chunks [][]byte                       `json:"chunks"` // gzipped columns
}

// label is a name by which a reader can hide events, with the number of events that have it.
type label struct {
	name  string
	count int64
}

// MarshalJSON writes the label as a pair.
func (l label) MarshalJSON() ([]byte, error) { return json.Marshal([]any{l.name, l.count}) }

// before is the state of a process at the beginning of the window.
type before struct {
	Down      bool                       `json:"down"`
	Variables map[string]json.RawMessage `json:"vars"`
}

// verdict is a property with the places of the events that show its violation.
type verdict struct {
	Name    string  `json:"name"`
	Verdict string  `json:"verdict"`
	Text    string  `json:"text"`
	Events  []int64 `json:"events"` // places
}

// columns are the events of a chunk, column by column. Times are differences from the event before, since
// JavaScript's numbers are exact only up to 2^53; the first is relative to the first event of the run. Other is the
// distance to the other end of the message, 0 for none.
type columns struct {
	Start   int64             `json:"start"`
	Time    []int64           `json:"time"`
	Seq     []int64           `json:"seq,omitempty"` // nil where seqs have no gaps
	Kind    []int             `json:"kind"`
	Process []int32           `json:"process"`
	Peer    []int32           `json:"peer"`
	Types   []string          `json:"types"`
	Type    []int             `json:"type"`
	Other   []int64           `json:"other"`
	Payload []json.RawMessage `json:"payload"`          // a text or 0
	Hidden  []int             `json:"hidden,omitempty"` // the indices of those left out
}

// places maps the seqs of the events in a page to their places.
type places struct {
	first, last tracefmt.Seq
	seqs        []tracefmt.Seq // nil where seqs have no gaps
}

// add adds the next event. The seqs are stored once there is a gap.
func (p *places) add(seq tracefmt.Seq, count int64) {
	switch {
	case count == 0:
		p.first = seq
	case p.seqs == nil && seq != p.last+1:
		p.seqs = make([]tracefmt.Seq, 0, count+1)
		for known := p.first; known <= p.last; known++ {
			p.seqs = append(p.seqs, known)
		}
	}
	if p.seqs != nil {
		p.seqs = append(p.seqs, seq)
	}
	p.last = seq
}

// place returns the place of an event, false if the page does not have it.
func (p *places) place(seq tracefmt.Seq) (int64, bool) {
	if p.seqs != nil {
		i, ok := slices.BinarySearch(p.seqs, seq)
		return int64(i), ok
	}
	return int64(seq - p.first), p.first <= seq && seq <= p.last && p.first > 0
}

// Data returns the data of a page's script, as JSON. A nil window is the whole run. It fails if the recording
// cannot be read or is too long.
func Data(ctx context.Context, rec tracefmt.Recording, window *view.View, verdicts []Verdict) ([]byte, error) {
	run, err := data(ctx, rec, cmp.Or(window, &view.View{}), verdicts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(run)
}

// columnOrder returns the processes by their positions, such as on a ring, or nil if they are in this order.
func columnOrder(members []tracefmt.Member) []int {
	var order []int
	for i := range members {
		order = append(order, i+1)
	}
	byPosition := func(a, b int) int { return cmp.Compare(members[a-1].Position, members[b-1].Position) }
	if slices.IsSortedFunc(order, byPosition) {
		return nil
	}
	slices.SortStableFunc(order, byPosition)
	return order
}

// data reads the events twice, because a send needs the place where its message ends.
func data(ctx context.Context, rec tracefmt.Recording, window *view.View, verdicts []Verdict) (*run, error) {
	d := &run{
		Unit: string(rec.Run().TimeUnit), ChunkSize: chunkSize, Processes: []string{""},
		Verdicts: []verdict{}, Labels: []label{}, Overview: [][2]int{}, Chunks: [][]byte{},
	}
	for p := range rec.Run().Members {
		d.Processes = append(d.Processes, text.Printable(rec.Run().ProcessName(tracefmt.ProcessID(p+1))))
	}
	d.Order = columnOrder(rec.Run().Members)
	d.Group, d.Groups = window.Group, window.Groups
	for p, shown := range window.Processes {
		if p > 0 && !shown {
			d.HiddenProcesses = append(d.HiddenProcesses, p)
		}
	}
	var err error
	d.Before, err = stateBefore(ctx, rec, window.From)
	if err != nil {
		return nil, err
	}
	var where places
	// ends[place] is one more than the place of the first end of the message that is sent at the place.
	var ends []int32
	labels := map[string]int64{}
	for e, err := range within(ctx, rec, window) {
		if err != nil {
			return nil, err
		}
		if d.Events == maxEvents {
			return nil, fmt.Errorf("the run has more than %d events, expected a part by --from and --to", maxEvents)
		}
		where.add(e.Seq, d.Events)
		ends = append(ends, 0)
		if i, ok := where.place(e.Cause); ok && endsMessage(e) && ends[i] == 0 {
			ends[i] = int32(d.Events) + 1
		}
		labels[labelOf(e)]++
		if labels[labelOf(e)] == 1 && !window.ShowsType(e) {
			d.HiddenKinds = append(d.HiddenKinds, labelOf(e))
		}
		d.Events++
	}
	d.FirstSeq = int64(where.first)
	d.setLabels(labels)
	d.setVerdicts(verdicts, &where)
	return d, d.setChunks(rec.Run(), within(ctx, rec, window), window, &where, ends)
}

// stateBefore returns the state of each process before the window, computed as the script does it within the
// window.
func stateBefore(ctx context.Context, rec tracefmt.Recording, from tracefmt.Seq) (map[tracefmt.ProcessID]*before, error) {
	if from <= 1 {
		return nil, nil
	}
	states := map[tracefmt.ProcessID]*before{}
	for e, err := range within(ctx, rec, &view.View{To: from - 1}) {
		if err != nil {
			return nil, err
		}
		p := states[e.Process]
		if p == nil {
			p = &before{Variables: map[string]json.RawMessage{}}
			states[e.Process] = p
		}
		switch e.Kind {
		case tracefmt.Crash, tracefmt.Halt:
			p.Down = true
		case tracefmt.Start, tracefmt.Recover:
			*p = before{Variables: map[string]json.RawMessage{}}
			p.assign(e.Payload)
		case tracefmt.State:
			p.assign(e.Payload)
		}
	}
	return states, nil
}

// assign copies the variables of a payload.
func (p *before) assign(payload []byte) {
	for key, value := range tracefmt.Fields(payload) {
		p.Variables[string(key)] = bytes.Clone(value)
	}
}

// within returns the events of a window.
func within(ctx context.Context, rec tracefmt.Recording, window *view.View) func(func(*tracefmt.Event, error) bool) {
	return func(yield func(*tracefmt.Event, error) bool) {
		for e, err := range tracefmt.Until(ctx, rec, max(window.From, 1)) {
			if err == nil && window.To > 0 && e.Seq > window.To {
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// endsMessage reports whether the event receives or loses a message.
func endsMessage(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose
}

// labelOf returns the name by which the script hides an event: the type of a message, else the kind.
func labelOf(e *tracefmt.Event) string {
	if endsMessage(e) || e.Kind == tracefmt.Send {
		return cmp.Or(e.Type, e.Kind.String())
	}
	return e.Kind.String()
}

// setLabels keeps the most frequent names.
func (d *run) setLabels(labels map[string]int64) {
	names := slices.SortedFunc(maps.Keys(labels), func(a, b string) int {
		return cmp.Or(cmp.Compare(labels[b], labels[a]), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), maxLabels)] {
		d.Labels = append(d.Labels, label{name, labels[name]})
	}
}

// setVerdicts adds the verdicts, with the places of those events that the page contains.
func (d *run) setVerdicts(verdicts []Verdict, where *places) {
	for _, v := range verdicts {
		shown := verdict{Name: v.Name, Verdict: v.Verdict, Text: text.Printable(v.Text), Events: []int64{}}
		for _, seq := range v.Events {
			if place, ok := where.place(seq); ok {
				shown.Events = append(shown.Events, place)
			}
		}
		d.Verdicts = append(d.Verdicts, shown)
	}
}

// setChunks packs the events and counts them for the overview.
func (d *run) setChunks(
	header *tracefmt.Run,
	events func(func(*tracefmt.Event, error) bool),
	window *view.View,
	where *places,
	ends []int32,
) error {
	for _, k := range tracefmt.Kinds() {
		d.Kinds = append(d.Kinds, k.String())
	}
	bars := min(maxBars, d.Events)
	d.Overview = make([][2]int, bars)
	var place, first, before int64
	var c columns
	types := map[string]int{}
	for e, err := range events {
		if err != nil {
			return err
		}
		now := int64(e.Time)
		// Simulated time is shown as it is; clocks of machines count from the first event.
		if place == 0 && d.Unit == string(tracefmt.Nanoseconds) {
			first, before = now, now
			d.Origin = header.When(e.Time)
		}
		if len(c.Time) == chunkSize {
			if err := d.pack(&c); err != nil {
				return err
			}
			c, types = columns{}, map[string]int{}
		}
		if len(c.Time) == 0 {
			c.Start = before - first
		}
		if window.LeavesOut(e) {
			c.Hidden = append(c.Hidden, len(c.Time))
			d.LeftOut++
		}
		c.Time = append(c.Time, now-before)
		before = now
		c.add(e, where, types)
		c.Other = append(c.Other, placesBetween(e, place, where, ends))
		bar := &d.Overview[place*bars/d.Events]
		switch e.Kind {
		case tracefmt.Send, tracefmt.Receive:
			bar[0]++
		case tracefmt.Crash, tracefmt.Lose, tracefmt.Partition:
			bar[1]++
		}
		place++
	}
	if place == 0 {
		return nil
	}
	return d.pack(&c)
}

// placesBetween returns the number of places to the other end of a message, 0 for none.
func placesBetween(e *tracefmt.Event, place int64, where *places, ends []int32) int64 {
	switch {
	case e.Kind == tracefmt.Send && ends[place] > 0:
		return int64(ends[place]) - 1 - place
	case endsMessage(e):
		if sent, ok := where.place(e.Cause); ok {
			return sent - place
		}
	}
	return 0
}

// add appends an event.
func (c *columns) add(e *tracefmt.Event, where *places, types map[string]int) {
	if where.seqs != nil {
		c.Seq = append(c.Seq, int64(e.Seq))
	}
	c.Kind = append(c.Kind, slices.Index(tracefmt.Kinds(), e.Kind))
	c.Process = append(c.Process, int32(e.Process))
	c.Peer = append(c.Peer, int32(e.Peer))
	i, known := types[e.Type]
	if !known {
		i = len(c.Types)
		types[e.Type] = i
		c.Types = append(c.Types, text.Printable(e.Type))
	}
	c.Type = append(c.Type, i)
	payload := json.RawMessage("0")
	if len(e.Payload) > 0 {
		payload, _ = json.Marshal(string(e.Payload)) // a string can always be marshalled
	}
	c.Payload = append(c.Payload, payload)
}

// pack appends the chunk, compressed. The fastest level of gzip makes a page a fifth larger than the best one, in a
// third of the time.
func (d *run) pack(c *columns) error {
	plain, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	d.Chunks = append(d.Chunks, packed.Bytes())
	return nil
}
