package perfetto

import (
	"bufio"
	"bytes"
	"strconv"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// Format writes traces that ui.perfetto.dev and trace_processor read.
//
// Time. Arrows go from the earlier to the later end, so no event is stamped before its
// causes, nor before the event before it of its process: the time is that of the run,
// later by nanoseconds where the clocks of machines contradict causality. The time that the run
// has is the annotation time. A run without clocks has that of its logical clock.
//
// Tracks. A run is a process of Perfetto with its own track for each process that takes a
// step, in the order of the ring.
//
// Messages. A message is one flow, of the number (run, message); a duplicate is a step of it.
// A message that is lost has no arrow: its send says so.
var Format = interop.Format{
	Name: "perfetto",
	Doc: "traces for ui.perfetto.dev, TrackEvent in protocol buffers: keeps events, their order, messages " +
		"as arrows, payloads as text, and from the header only names",
	Describe:   describe,
	Source:     "google/perfetto at ec5d16b14b74, protos/perfetto/trace/track_event",
	Detect:     detect,
	Write:      write,
	Keeps:      interop.OfEvents,
	Extensions: []string{"pftrace", "perfetto-trace"},
}

// detect looks for the label of the first run.
func detect(head []byte) interop.Confidence {
	const first = 512 // the packet with the label is the first
	return interop.CertainIf(bytes.HasPrefix(head, []byte("\n")) && bytes.Contains(head[:min(len(head), first)], []byte(mark)))
}

func describe() string {
	return `Each event is an instant on the track of its process. Its name is the kind and type; its annotations are seq, time,
peer, message, cause, lamport, term and payload. Partitions and heals are on the track of the network. An arrow joins
the send of a message with its receive. A message that was lost or never arrived has no arrow; an annotation of the send
says so. If the clocks put an effect before its cause, the effect is drawn some nanoseconds after the cause: the
annotations time and wall have the time of the log.

Slices below a process show conditions that last: its role and term, from the variable role, and its stay in a critical
section, from a note enter to a note exit.

The file keeps every event with its fields, the order of the events of a process, the send of each receive, and the
names of the run and its processes.
`
}

func write(w *interop.Writing, runs []tracefmt.Recording) error {
	out := &traceWriter{Writer: bufio.NewWriterSize(w, 64<<10)}
	for i, rec := range runs {
		if err := out.run(uint64(i+1), rec); err != nil {
			return err
		}
	}
	return out.Flush()
}

// traceWriter writes runs. Flush returns the first error of all writes.
type traceWriter struct {
	*bufio.Writer
	number uint64 // the number of the run
	desc   *tracefmt.Run
	stamps *interop.Stamps
	lost   map[tracefmt.MessageID]bool
	began  []bool // by process, whether its track is described
	// lasting has, by process, the names of its open spells, "" for none. described are the spells whose tracks are described.
	lasting   [][spells]string
	described [][spells]bool
	packet    packet
}

// network is the index of events without a process.
const network = 0

// run writes a run.
func (t *traceWriter) run(number uint64, rec tracefmt.Recording) (err error) {
	t.number, t.desc = number, rec.Run()
	n := len(t.desc.Members)
	t.began = make([]bool, n+1)
	t.lasting, t.described = make([][spells]string, n+1), make([][spells]bool, n+1)
	t.lost = make(map[tracefmt.MessageID]bool)
	t.stamps, err = interop.NewStamps(rec, t.noteLoss)
	if err != nil {
		return err
	}
	t.describeRun()
	end := uint64(0)
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		t.describeTrack(e.Process)
		at := t.stamps.At(e)
		t.packet.event(t, e, at)
		if _, err := t.Write(t.packet.bytes()); err != nil {
			return err
		}
		t.updateSpells(e, at)
		end = max(end, at)
	}
	t.endSpells(end)
	return nil
}

// noteLoss registers the loss of a message.
func (t *traceWriter) noteLoss(e *tracefmt.Event) {
	if e.Kind == tracefmt.Lose {
		t.lost[e.Message] = true
	}
}

// wall returns the time of day of an event, "" if the run has none.
func (t *traceWriter) wall(e *tracefmt.Event) string {
	if at, ok := t.desc.Wall(e.Time); ok {
		return at.Format(time.RFC3339Nano)
	}
	return ""
}

// uuid returns the id of a track: of the run itself for the place -1.
func (t *traceWriter) uuid(place int) uint64 { return t.number<<32 | uint64(place+2) }

// describeRun writes the description of the run's track.
func (t *traceWriter) describeRun() {
	name := t.desc.Name
	if name == "" {
		name = "run " + strconv.FormatUint(t.number, 10)
	}
	t.packet.describe(t.uuid(-1), 0, name, int64(t.number), 0)
	_, _ = t.Write(t.packet.bytes()) // Flush returns the error
}

// describeTrack writes the description of a process's track, once.
func (t *traceWriter) describeTrack(p tracefmt.ProcessID) {
	if t.began[p] {
		return
	}
	t.began[p] = true
	name, rank := "network", len(t.desc.Members)+1
	if p != network {
		name, rank = t.desc.ProcessName(p), t.desc.Members[p-1].Position
	}
	t.packet.describe(t.uuid(int(p)), t.uuid(-1), name, 0, int64(rank))
	_, _ = t.Write(t.packet.bytes()) // Flush returns the error
}
