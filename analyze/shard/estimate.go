package shard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"time"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// EstimateFormat is the version of the JSON of an estimate.
const EstimateFormat = "etrace.estimate/1"

// Estimate is the expected cost of the shards of a plan, in seconds of one core. It is measured on a sample of the
// run. The cost of an engine such as Spark is not included.
type Estimate struct {
	Trace string
	// Events is the number of events of the run. If About is true, it is estimated from the size of the trace.
	Events int64
	About  bool
	Sample int64
	// Check is the cost of the check without shards.
	Check float64
	// Slice is the cost of slicing. If Alone is true, the cores can share it. Keyed is the cost that the shards
	// share. Common is the cost in each shard for the events that all shards need. Unsplit is the cost in shard 0 of
	// the rules that are not split.
	Slice, Keyed, Common, Unsplit float64
	Alone                         bool
	// Driver is the cost of the plan and of the report.
	Driver float64
	// Bytes is the memory of a shard for each million of its events.
	Bytes int64
}

// sampleShards is the number of shards into which the sample is split.
const sampleShards = 8

// Costs of a process that runs etrace, without events: seconds of a core, and bytes.
const (
	// startSeconds and startBytes are the cost of a process that runs etrace without events: seconds of a core, and
	// bytes.
	startSeconds = 0.03
	startBytes   = 40 << 20
)

// Sample is the first events of a run. Read is how long it took to read them.
type Sample struct {
	Events []*tracefmt.Event
	Read   time.Duration
	// Of is the number of events of the run. If About is true, it is estimated from the size of the trace.
	Of    int64
	About bool
}

// NewEstimate measures the cost of a plan on a sample. The properties must be those of the plan. clock returns the
// processor time so far.
func NewEstimate(
	p *Plan, properties []*analyze.Property, sample Sample, clock func() time.Duration,
) (*Estimate, error) {
	if len(sample.Events) == 0 {
		return nil, errors.New("the run has no events to measure")
	}
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	m := &measurement{plan: *p, properties: properties, run: run, sample: sample.Events, clock: clock}
	m.plan.Shards, m.plan.ID = sampleShards, "estimate"
	size := int64(len(sample.Events))
	e := &Estimate{
		Trace: p.Traces[0].Path, Events: max(sample.Of, size), About: sample.About, Sample: size,
		Alone: p.One.Alone,
	}
	scale := float64(e.Events) / float64(e.Sample)
	check, err := m.check()
	if err == nil {
		e.Check = scale * (sample.Read + check).Seconds()
		err = m.slice()
	}
	if err == nil {
		e.Slice = scale * (sample.Read + m.sliced).Seconds()
		err = m.shards()
	}
	if err != nil {
		return nil, err
	}
	line := m.split.Seconds() / float64(max(1, m.owned+sampleShards*m.common))
	e.Keyed, e.Common = scale*line*float64(m.owned), scale*line*float64(m.common)
	e.Unsplit = scale * m.unsplit.Seconds()
	e.Driver = 2*startSeconds + m.driver.Seconds()
	e.Bytes = m.kept * 1_000_000 / max(1, m.owned)
	return e, nil
}

// measurement measures the steps of a sharded check on a sample.
type measurement struct {
	plan       Plan
	properties []*analyze.Property
	run        *tracefmt.Run
	sample     []*tracefmt.Event
	clock      func() time.Duration

	lines                          []bytes.Buffer // by shard
	sliced, split, unsplit, driver time.Duration
	owned, common                  int64 // lines of one shard, and of all shards
	kept                           int64 // bytes, by all shards
}

// timeStep returns how long a step takes.
func (m *measurement) timeStep(step func() error) (time.Duration, error) {
	begun := m.clock()
	err := step()
	return m.clock() - begun, err
}

// check measures a check without shards.
func (m *measurement) check() (time.Duration, error) {
	return m.timeStep(func() error {
		c := analyze.NewFollower(m.run, nil, m.properties, m.plan.Options())
		for _, e := range m.sample {
			if err := c.Write(e); err != nil {
				return err
			}
		}
		c.Report()
		return nil
	})
}

// slice measures the slicing.
func (m *measurement) slice() (err error) {
	m.lines = make([]bytes.Buffer, sampleShards)
	m.sliced, err = m.timeStep(func() error {
		slicer, err := NewSlicer(&m.plan, m.properties)
		if err != nil {
			return err
		}
		enc := tracefmt.NewEncoder(io.Discard)
		if err := enc.Begin(m.run); err != nil {
			return err
		}
		for _, e := range m.sample {
			needed, err := slicer.Shards(e)
			if err != nil {
				return err
			}
			line, err := enc.Line(e)
			if err != nil {
				return err
			}
			// All shards need a common event, so its cost does not fall with their number.
			if slicer.pass.Everyone() {
				m.common++
			} else {
				m.owned += int64(len(needed))
			}
			for _, shard := range needed {
				m.lines[shard].Write(line)
			}
		}
		_, err = slicer.End(tracefmt.Stopped)
		for shard := range m.lines {
			if err == nil {
				var line []byte
				line, err = slicer.Trailer(shard)
				m.lines[shard].Write(line)
			}
		}
		return err
	})
	return err
}

// shards measures the check of the shards and the join of their results.
func (m *measurement) shards() error {
	var summaries []*Summary
	var costs []time.Duration
	for shard := range sampleShards {
		before := bytesInUse()
		var x *Examination
		took, err := m.timeStep(func() (err error) {
			x, err = NewExamination(&m.plan, shard, &tracefmt.Run{Slice: true}, m.properties)
			if err != nil {
				return err
			}
			found, err := x.Read(&m.lines[shard])
			if err != nil {
				return err
			}
			s, err := m.plan.Summary(shard, found)
			summaries = append(summaries, s)
			return err
		})
		if err != nil {
			return err
		}
		m.kept += max(0, bytesInUse()-before)
		runtime.KeepAlive(x)
		costs = append(costs, took)
	}
	for _, took := range costs[1:] {
		m.split += took * sampleShards / (sampleShards - 1)
	}
	if slices.ContainsFunc(m.plan.One.Rules, func(r Rule) bool { return r.Split == None }) {
		m.unsplit = max(0, costs[0]-m.split/sampleShards)
	}
	var err error
	m.driver, err = m.timeStep(func() error {
		_, err := Join(&m.plan, summaries...)
		return err
	})
	return err
}

// bytesInUse returns the size of all live objects in memory.
func bytesInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// seconds returns how long the check takes on this number of cores, with one shard for each.
func (e *Estimate) seconds(cores int) float64 {
	n := float64(cores)
	slicers := n
	if !e.Alone {
		slicers = 1
	}
	return e.Driver + 2*startSeconds + e.Slice/slicers + e.Keyed/n + e.Common + e.Unsplit
}

// fewestCores returns the smallest number of cores with which shards are faster than an unsplit check. It returns 0
// if there is no such number.
func (e *Estimate) fewestCores() int {
	for cores := 1; cores <= MostShards; cores++ {
		if e.seconds(cores) < e.Check {
			return cores
		}
	}
	return 0
}

// memory returns how many bytes a worker needs, with one shard for each core.
func (e *Estimate) memory(cores int) int64 {
	return startBytes + e.Bytes*(e.Events/int64(cores))/1_000_000
}

// estimatedCores are the numbers of cores for which the estimate is printed.
var estimatedCores = []int{1, 10, 100, 1000}

// WriteText writes the estimate as text.
func (e *Estimate) WriteText(w io.Writer) error {
	d := &document.Document{}
	about := ""
	if e.About {
		about = "about "
	}
	d.Paragraph(fmt.Sprintf("%s: %s%d events, measured on the first %d; seconds of one core", e.Trace, about,
		e.Events, e.Sample))
	where := "shared by the cores"
	if !e.Alone {
		where = "one process, since rules read the state of processes"
	}
	steps := &document.Table{Indent: "  ", Align: "lrl"}
	steps.Add("etrace check, without shards", decimal(e.Check), "")
	steps.Add("plan and merge", decimal(e.Driver), "one process")
	steps.Add("slice", decimal(e.Slice), where)
	steps.Add("all shards", decimal(e.Keyed), "shared by the cores")
	if e.Common > 0 {
		steps.Add("events that all shards need", decimal(e.Common), "in each shard")
	}
	if e.Unsplit > 0 {
		steps.Add("rules that are not split", decimal(e.Unsplit), "in shard 0")
	}
	cores := &document.Table{Indent: "  ", Head: []string{"cores", "seconds", "times as fast", "memory of a worker"}}
	for _, n := range estimatedCores {
		cores.Add(strconv.Itoa(n), decimal(e.seconds(n)), decimal(e.Check/e.seconds(n)),
			fmt.Sprintf("%d MB", e.memory(n)>>20))
	}
	d.Table(steps, cores)
	if from := e.fewestCores(); from > 0 {
		d.Paragraph(fmt.Sprintf("shards are faster from %d cores on; an engine adds the time that it takes to start and to move lines", from))
	} else {
		d.Paragraph("shards are slower on any number of cores")
	}
	return d.WriteText(w)
}

// WriteJSON writes the estimate as JSON.
func (e *Estimate) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{
		"format", EstimateFormat, "trace", e.Trace, "events", e.Events, "events_exact", !e.About, "sample",
		e.Sample, "check_seconds", e.Check,
		"driver_seconds", e.Driver, "slice_seconds", e.Slice, "slice_shared", e.Alone, "shards_seconds", e.Keyed,
		"common_seconds", e.Common, "unsplit_seconds", e.Unsplit, "faster_from", e.fewestCores(),
		"cores", document.List(estimatedCores, func(n int) document.Object {
			return document.Object{"cores", n, "seconds", e.seconds(n), "memory", e.memory(n)}
		}),
	})
}

// decimal formats a number with at least three digits.
func decimal(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}
