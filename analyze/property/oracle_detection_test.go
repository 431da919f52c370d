package property_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawPassing draws a message of one of two types, or what becomes of one.
func drawPassing(t *rapid.T, d *drawing, types string) {
	if len(d.sends) > 0 && rapid.IntRange(0, 2).Draw(t, "arrives") > 0 {
		s := rapid.SampledFrom(d.sends).Draw(t, "of")
		kind := rapid.SampledFrom([]tracefmt.Kind{tracefmt.Receive, tracefmt.Receive, tracefmt.Receive, tracefmt.Lose}).Draw(t, "fate")
		d.add(tracefmt.Event{Kind: kind, Process: s.Peer, Peer: s.Process, Type: s.Type, Message: s.Message, Cause: s.Seq, Payload: s.Payload})
		return
	}
	d.add(tracefmt.Event{
		Kind: tracefmt.Send, Process: d.process(t), Peer: d.process(t), Type: pick(t, types),
		Message: tracefmt.MessageID(len(d.sends) + 1),
	})
}

// drawTermination draws a note, or a message of the base computation or of the detector.
func drawTermination(t *rapid.T, d *drawing) {
	d.Run().Basic = []string{"WORK"}
	if label := pick(t, "active active passive passive passive announce other message message"); label != "message" {
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: label})
		return
	}
	drawPassing(t, d, "WORK WORK SIGNAL")
}

// notes: the event at k is such a note, whether or not its process is up.
func (o oracle) notes(k int, label string) bool {
	return o.events[k].Kind == tracefmt.Note && o.events[k].Type == label
}

// activeAfter: p notes that it is active and, up to the first k events, nothing that ends it.
func (o oracle) activeAfter(p tracefmt.ProcessID, k int) bool {
	for i := range k {
		if o.events[i].Process != p || !o.notes(i, "active") {
			continue
		}
		if !slices.ContainsFunc(o.events[i:k], func(e tracefmt.Event) bool {
			return e.Process == p && (e.Kind == tracefmt.Note && e.Type == "passive" ||
				slices.Contains([]tracefmt.Kind{tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover}, e.Kind))
		}) {
			return true
		}
	}
	return false
}

// flies: the send at i is of a type, between two that take part, and its message has not arrived or
// been lost in the first k events.
func (o oracle) flies(i, k int, types []string) bool {
	s := o.events[i]
	if i >= k || s.Kind != tracefmt.Send || !slices.Contains(types, s.Type) || o.aside(s.Process) || o.aside(s.Peer) {
		return false
	}
	return !slices.ContainsFunc(o.events[i:k], func(e tracefmt.Event) bool {
		return e.Message == s.Message && (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose)
	})
}

// announcements are those of processes that take part.
func (o oracle) announcements() (list []int) {
	for k, e := range o.events {
		if o.notes(k, "announce") && !o.aside(e.Process) {
			list = append(list, k)
		}
	}
	return list
}

func (o oracle) announcedEarly() (wrong, examined int) {
	for _, k := range o.announcements() {
		goesOn := slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.aside(p) && o.activeAfter(p, k) })
		for i := range k {
			goesOn = goesOn || o.flies(i, k, o.run.Basic)
		}
		if examined++; goesOn {
			wrong++
		}
	}
	return wrong, examined
}

// recordsComputation: a process that takes part notes something of it at k.
func (o oracle) recordsComputation(k int) bool {
	return o.notes(k, "active") || o.notes(k, "passive") || o.notes(k, "announce")
}

// computes: some process that takes part notes that.
func (o oracle) computes() bool {
	for k, e := range o.events {
		if o.recordsComputation(k) && !o.aside(e.Process) {
			return true
		}
	}
	return false
}

func (o oracle) announcedInTheEnd() (wrong, examined int) {
	if len(o.announcements()) > 0 {
		return 0, 1
	}
	began, n := false, len(o.events)
	for k, e := range o.events {
		began = began || o.notes(k, "active") && !o.aside(e.Process) || o.flies(k, k+1, o.run.Basic)
		// The computation has not ended while a basic message can arrive.
		if o.flies(k, n, o.run.Basic) && o.live(e.Peer, n) {
			return 0, 0
		}
	}
	goesOn := slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.aside(p) && o.activeAfter(p, n) })
	if !began || goesOn || len(o.correct(o.recordsComputation)) == 0 {
		return 0, 0
	}
	return 1, 1
}

// drawWave draws a note of a wave or a message.
func drawWave(t *rapid.T, d *drawing) {
	if label := pick(t, "start decide decide other message message message message"); label != "message" {
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: label})
		return
	}
	drawPassing(t, d, "TOKEN")
}

func (o oracle) waves() bool {
	for k := range o.events {
		if o.notes(k, "start") || o.notes(k, "decide") {
			return true
		}
	}
	return false
}

func (o oracle) waveCovers() (wrong, examined int) {
	return o.uncovered(func(q tracefmt.ProcessID) bool {
		return o.attribute(q, "role") != "" || o.run.Source == tracefmt.Simulated || o.ofWave(q)
	})
}

// waveCoversOpen: nothing is wrong as far as is known, but would be if those took part that may.
func (o oracle) waveCoversOpen() bool {
	wrong, _ := o.waveCovers()
	more, _ := o.uncovered(func(q tracefmt.ProcessID) bool {
		return o.attribute(q, "role") == "" && o.run.Source != tracefmt.Simulated && o.acts(q)
	})
	return wrong == 0 && more > 0
}

// ofWave reports whether a process notes start or decide.
func (o oracle) ofWave(q tracefmt.ProcessID) bool {
	for i := range o.events {
		if o.events[i].Process == q && (o.notes(i, "start") || o.notes(i, "decide")) {
			return true
		}
	}
	return false
}

// uncovered counts the decisions that some participant's events do not precede.
func (o oracle) uncovered(takesPart func(q tracefmt.ProcessID) bool) (wrong, examined int) {
	for k, e := range o.events {
		if !o.notes(k, "decide") || o.aside(e.Process) {
			continue
		}
		examined++
		if slices.ContainsFunc(o.processes(), func(q tracefmt.ProcessID) bool {
			heardOf := q == e.Process
			for i := range o.events {
				heardOf = heardOf || o.events[i].Process == q && i <= k && o.events[i].Kind != tracefmt.Lose && o.before(i, k)
			}
			return takesPart(q) && !o.aside(q) && !heardOf
		}) {
			wrong++
		}
	}
	return wrong, examined
}

// drawSnapshot draws an amount, a part of the snapshot, or a payment.
func drawSnapshot(t *rapid.T, d *drawing) {
	run := d.Run()
	run.Basic, run.Traits = []string{"MONEY"}, []string{tracefmt.Reliable}
	e := tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t)}
	if d.Len() == 0 { // most have amounts that may add up
		for p := range run.Members {
			d.add(tracefmt.Event{Kind: tracefmt.State, Process: tracefmt.ProcessID(p + 1), Payload: []byte(`{"amount":1}`)})
		}
	}
	number := func() string { return pick(t, "0 1 1 1 2") }
	e.Type = pick(t, "record recorded recorded marked other amount message message overtaken")
	switch e.Type {
	case "record":
		e.Payload = []byte(`{"state":` + number() + `}`)
	case "marked":
		e.Type, e.Payload = "record", fmt.Appendf(nil, `{"state":%s,"sent":{"1":%s},"received":{"2":%s}}`, number(), number(), number())
	case "recorded":
		e.Payload = fmt.Appendf(nil, `{"channels":{"1":[%s,0],"2":%s}}`, pick(t, "0 0 1"), pick(t, "0 0 1"))
	case "amount":
		e.Kind, e.Type, e.Payload = tracefmt.State, "", []byte(`{"amount":`+number()+`}`)
	case "message":
		drawPassing(t, d, "MONEY MONEY MARKER")
		return
	case "overtaken": // what was sent after one record arrives before another one
		m := tracefmt.MessageID(len(d.sends) + 1)
		from, end := d.process(t), d.process(t)
		d.add(note(from, "record", `{"state":1}`))
		d.add(tracefmt.Event{Kind: tracefmt.Send, Process: from, Peer: end, Type: pick(t, "MONEY MONEY MARKER"), Message: m})
		d.add(tracefmt.Event{Kind: tracefmt.Receive, Process: end, Peer: from, Type: d.sends[m-1].Type, Message: m, Cause: tracefmt.Seq(d.Len())})
		e = note(end, "record", pick(t, `{"state":1} {"state":1,"before":1} {"state":1,"before":2}`))
	}
	d.add(e)
}

// records is where p notes first that it records its state, -1 for nowhere.
func (o oracle) records(p tracefmt.ProcessID) int {
	return slices.IndexFunc(o.events, func(e tracefmt.Event) bool {
		return e.Kind == tracefmt.Note && e.Type == "record" && e.Process == p && !o.aside(p)
	})
}

// recordsAll is the note with which the part of p is whole, -1 for none.
func (o oracle) recordsAll(p tracefmt.ProcessID) int {
	self := o.records(p)
	if self < 0 {
		return -1
	}
	if _, ok := o.events[self].Field("received"); ok {
		return self
	}
	for k := self; k < len(o.events); k++ {
		if o.events[k].Process == p && o.notes(k, "recorded") {
			return k
		}
	}
	return -1
}

func (o oracle) snapshots() bool {
	return slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return o.records(p) >= 0 })
}

// notTaken is the last basic receipt before a record, if the record excludes it; else -1.
func (o oracle) notTaken(record int) int {
	for k := record - 1; k >= 0; k-- {
		if r := o.events[k]; r.Kind == tracefmt.Receive && r.Process == o.events[record].Process &&
			slices.Contains(o.run.Basic, r.Type) && !o.aside(r.Peer) {
			value, _ := o.events[record].Field("before")
			if p, ok := o.run.ProcessValue(value); ok && p == r.Peer {
				return k
			}
			return -1
		}
	}
	return -1
}

func (o oracle) snapshotConsistent() (wrong, examined int) {
	if !o.snapshots() {
		return 0, 0
	}
	for i, s := range o.events {
		from, end := -1, -1
		if s.Kind == tracefmt.Send && slices.Contains(o.run.Basic, s.Type) {
			from, end = o.records(s.Process), o.records(s.Peer)
		}
		if s.Kind == tracefmt.Receive && slices.Contains(o.run.Basic, s.Type) && !o.aside(s.Process) && !o.aside(s.Peer) {
			examined++
		}
		received := slices.IndexFunc(o.events, func(e tracefmt.Event) bool { return e.Kind == tracefmt.Receive && e.Message == s.Message })
		if from >= 0 && from < i && received >= 0 && received < end && received != o.notTaken(end) {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) speaksOfSnapshot(k int) bool { return o.notes(k, "record") || o.notes(k, "recorded") }

func (o oracle) snapshotComplete() (wrong, examined int) {
	if !o.snapshots() {
		return 0, 0
	}
	for _, p := range o.correct(o.speaksOfSnapshot) {
		if examined++; o.recordsAll(p) < 0 {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) snapshotCompleteOpen() bool {
	wrong, _ := o.snapshotComplete()
	return o.snapshots() && o.possiblyCorrect(wrong, o.speaksOfSnapshot)
}

// amounts are the one-digit numbers in the fields of an event, without digits in names of processes and fields.
func amounts(e tracefmt.Event, key string) (sum int) {
	value, _ := e.Field(key)
	quoted := false
	for _, c := range value {
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted && '0' <= c && c <= '9':
			sum += int(c - '0')
		}
	}
	return sum
}

// endowed is the event at which p has an amount first, -1 for none.
func (o oracle) endowed(p tracefmt.ProcessID) int {
	for k, e := range o.events {
		if _, ok := o.assignments(k)["amount"]; ok && e.Process == p && !o.aside(p) {
			return k
		}
	}
	return -1
}

func (o oracle) sumPreserved() (wrong, examined int) {
	began, found, parts := 0, 0, 0
	for _, p := range o.processes() {
		if k := o.endowed(p); k >= 0 {
			began += amounts(o.events[k], "amount")
		}
		takesPart := !o.aside(p) && (o.attribute(p, "role") != "" || o.run.Source == tracefmt.Simulated || o.endowed(p) >= 0 || o.records(p) >= 0)
		switch self, complete := o.records(p), o.recordsAll(p); {
		case complete >= 0:
			parts++
			note := o.events[self]
			found += amounts(note, "state") + amounts(note, "sent") - amounts(note, "received") + amounts(o.events[complete], "channels")
		// A missing part makes the sum unknown: snapshot-complete reports that.
		case takesPart:
			return 0, 0
		}
	}
	if parts == 0 || began == found && !o.anyOverdrawn() {
		return 0, min(parts, 1)
	}
	return 1, 1
}

// anyOverdrawn: a process has received more from another one, by what both record, than that one has sent to it.
func (o oracle) anyOverdrawn() bool {
	actor := func(p, q tracefmt.ProcessID, key string) (n int) {
		if k := o.records(p); k >= 0 {
			var note map[string]json.RawMessage
			var list map[string]int
			_ = json.Unmarshal(o.events[k].Payload, &note) // another value has no amount
			_ = json.Unmarshal(note[key], &list)
			n = list[o.run.Members[q-1].Name]
		}
		return n
	}
	return slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		return slices.ContainsFunc(o.processes(), func(q tracefmt.ProcessID) bool { return actor(q, p, "received") > actor(p, q, "sent") })
	})
}

// sums: there is a snapshot, an amount, and no process that may invent one.
func (o oracle) sums() bool {
	return o.snapshots() && slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return o.endowed(p) >= 0 }) &&
		!slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return o.attribute(p, "role") == `"byzantine"` })
}

// drawToken draws a record about the token, or a message that may carry it.
func drawToken(t *rapid.T, d *drawing) {
	d.Run().Token = []string{"TOKEN"}
	switch pick(t, "token token message message message other") {
	case "token":
		kind := rapid.SampledFrom([]tracefmt.Kind{
			tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.Recover,
			tracefmt.Start,
		}).Draw(t, "kind")
		d.add(tracefmt.Event{Kind: kind, Process: d.process(t), Payload: []byte(`{"token":` + pick(t, "true false false null 7") + `}`)})
	case "message":
		drawPassing(t, d, "TOKEN TOKEN REQUEST")
	default:
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: "other"})
	}
}

// recordsToken: some process records whether it has one, or sends one.
func (o oracle) recordsToken() bool {
	for k := range o.events {
		if o.flies(k, k+1, o.run.Token) {
			return true
		}
	}
	return variables("token")(o)
}

// tokenAt is whether p has the token after the first k events.
func (o oracle) tokenAt(p tracefmt.ProcessID, k int) bool {
	has := false
	for i, e := range o.events[:k] {
		if e.Process != p || o.aside(p) {
			continue
		}
		if slices.Contains([]tracefmt.Kind{tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover}, e.Kind) {
			has = false
		}
		if value, ok := o.assignments(i)["token"]; ok {
			has = value != "false" && value != "null"
		}
	}
	return has
}

func (o oracle) tokens(k int) (n int) {
	for _, p := range o.processes() {
		if o.tokenAt(p, k) {
			n++
		}
	}
	for i := range k {
		if o.flies(i, k, o.run.Token) {
			n++
		}
	}
	return n
}

func (o oracle) tokenUnique() (wrong, examined int) {
	for k, e := range o.events {
		begins := slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
			return p == e.Process && o.tokenAt(p, k+1) && (!o.tokenAt(p, k) || e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover)
		})
		if !begins && !o.flies(k, k+1, o.run.Token) {
			continue
		}
		if examined++; o.tokens(k+1) > 1 {
			wrong++
		}
	}
	return wrong, examined
}
