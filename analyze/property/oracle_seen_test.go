package property_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// The oracle of elections by what the processes have seen. Everything is asked of the
// events before the k-th, from their beginning; an index is that of an event.

// drawSeen draws a server's record about the election, or about its progress.
func drawSeen(t *rapid.T, d *drawing) {
	if d.Len() == 0 {
		run := d.Run()
		run.Problem = tracefmt.Zab
		for i := range run.Members {
			if run.Source != tracefmt.Simulated && rapid.Bool().Draw(t, "servers") {
				run.Members[i].Attributes = []byte(`{"role":"server"}`)
			}
		}
	}
	var fields []string
	say := func(words string, names ...string) {
		for _, name := range names {
			fields = append(fields, fmt.Sprintf(`"%s":%s`, name, pick(t, words)))
		}
	}
	p := d.process(t)
	switch pick(t, "looks looks looks follows follows leads says says elects all less") {
	case "looks":
		say(`"LOOKING"`, "role")
		say("1 2", "epoch")
		say(`1 2 "2"`, "zxid")
	case "follows":
		say(`"FOLLOWING"`, "role")
		say("1 2 3", "elected")
	case "less": // a server follows another that has seen less
		q := d.process(t)
		d.add(tracefmt.Event{Kind: tracefmt.State, Process: q, Payload: []byte(`{"role":"LOOKING","epoch":1,"zxid":1}`)})
		d.add(tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte(`{"role":"LOOKING","epoch":1,"zxid":2}`)})
		fields = append(fields, `"role":"FOLLOWING"`, fmt.Sprintf(`"elected":%d`, q))
	case "leads":
		say(`"LEADING"`, "role")
		fields = append(fields, fmt.Sprintf(`"elected":%d`, p))
	case "says":
		say(pick(t, "1 2"), pick(t, "epoch epoch zxid zxid term"))
	case "elects":
		say("1 2 3 9 null", "elected")
	case "all":
		say(`"LOOKING" "FOLLOWING" "LEADING" "OBSERVING" null`, "role")
		if rapid.Bool().Draw(t, "more") {
			say("1 2 null", "elected", "epoch", "zxid")
		}
	}
	kind := rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State,
		tracefmt.State, tracefmt.State, tracefmt.Recover, tracefmt.Start,
	}).Draw(t, "kind")
	d.add(tracefmt.Event{Kind: kind, Process: p, Payload: []byte("{" + strings.Join(fields, ",") + "}")})
}

// anew: with the event at i its process begins anew, or is taken down.
func (o oracle) anew(i int) bool {
	e := o.events[i]
	return slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt}, e.Kind) ||
		e.Kind == tracefmt.State && !o.live(e.Process, i)
}

// observing: p has recorded by then that it has no vote.
func (o oracle) observing(p tracefmt.ProcessID, k int) bool {
	return slices.ContainsFunc(o.indices()[:k], func(i int) bool {
		return o.events[i].Process == p && o.assignments(i)["role"] == `"OBSERVING"`
	})
}

// votes: p is an elector.
func (o oracle) votes(p tracefmt.ProcessID, k int) bool {
	switch role := o.attribute(p, "role"); {
	case o.aside(p), o.observing(p, k):
		return false
	case role != "" || o.complete():
		return true
	}
	return slices.ContainsFunc(o.indices()[:k], func(i int) bool {
		_, elects := o.assignments(i)["elected"]
		role := o.assignments(i)["role"]
		return o.events[i].Process == p && (elects || role != "" && role != "null")
	})
}

// chooses: with the event at i its process records its choice, -1 for an unnamed one.
func (o oracle) chooses(i int) (choice tracefmt.ProcessID, recordsLeading bool) {
	a, p := o.assignments(i), o.events[i].Process
	_, tellsRole := a["role"]
	_, elects := a["elected"]
	v := o.variablesOf(p, i+1)
	role := v["role"]
	switch {
	case !tellsRole && !elects:
		return 0, false
	case o.observing(p, i+1), tellsRole && role == `"LOOKING"`:
		return 0, true
	case !o.aside(p) && (role == `"LEADING"` || (role == "" || role == `"OBSERVING"`) && o.member(v["elected"]) == p):
		return p, true
	case v["elected"] != "" && !o.looksSinceElected(p, i):
		if q := o.member(v["elected"]); q != 0 {
			return q, true
		}
		return -1, true
	case tellsRole && !elects && role == `"FOLLOWING"`:
		return -1, true
	}
	return 0, true
}

// looksSinceElected: since p last assigned elected, before the event at i or with it, it recorded that it looks for
// a leader, or restarted.
func (o oracle) looksSinceElected(p tracefmt.ProcessID, i int) bool {
	for j := i; j >= 0; j-- {
		if o.events[j].Process != p {
			continue
		}
		if choice, recordsLeading := tracefmt.ProcessID(0), false; j < i {
			choice, recordsLeading = o.chooses(j)
			if recordsLeading && choice == 0 {
				return true
			}
		}
		if _, elects := o.assignments(j)["elected"]; elects {
			return false
		}
		if o.anew(j) {
			return true
		}
	}
	return true
}

// choiceOf is whom p has chosen, 0 if it looks for a leader.
func (o oracle) choiceOf(p tracefmt.ProcessID, k int) tracefmt.ProcessID {
	for i := k - 1; i >= 0; i-- {
		if o.events[i].Process != p {
			continue
		}
		if choice, recordsLeading := o.chooses(i); recordsLeading || o.anew(i) {
			return choice
		}
	}
	return 0
}

// chosenBefore is whom the process of the event at i has chosen before it: 0 if it begins.
func (o oracle) chosenBefore(i int) tracefmt.ProcessID {
	if o.anew(i) {
		return 0
	}
	return o.choiceOf(o.events[i].Process, i)
}

// decides: with the event at i its process makes another choice than it had made.
func (o oracle) decides(i int) bool {
	choice, recordsLeading := o.chooses(i)
	was := o.chosenBefore(i)
	return recordsLeading && choice != 0 && choice != was && was != -1
}

// opens: with the event at i its process begins to look for a leader.
func (o oracle) opens(i int) bool {
	choice, recordsLeading := o.chooses(i)
	was := o.chosenBefore(i)
	return o.anew(i) || recordsLeading && choice != was && (choice == 0 || was == o.events[i].Process)
}

// recordsLeading is p's last value of a key in the events from i on, before the k-th, that still counts.
func (o oracle) recordsLeading(p tracefmt.ProcessID, key string, k int) string {
	for i := k - 1; i >= 0; i-- {
		if o.events[i].Process != p {
			continue
		}
		a := o.assignments(i)
		value, ok := a[key]
		if !ok && key == "epoch" {
			value, ok = a["term"]
		}
		if ok {
			return strings.Trim(value, `"`)
		}
		if o.anew(i) || o.decides(i) && !o.complete() {
			break
		}
	}
	return "null"
}

// seen are the epoch, the zxid and the id of p in the election of q; it ends with the
// first that is not known.
func (o oracle) seen(p, q tracefmt.ProcessID, k int) (values []int) {
	switch o.choiceOf(p, k) {
	case 0:
	case q:
		for k--; o.events[k].Process != p || !o.decides(k); k-- {
		}
		if o.anew(k) {
			return nil
		}
	default:
		return nil
	}
	for _, key := range []string{"epoch", "zxid"} {
		n, err := strconv.Atoi(o.recordsLeading(p, key, k))
		if err != nil {
			return values
		}
		values = append(values, n)
	}
	return append(values, int(p))
}

// less compares what two have seen; known is false if it is not known.
func less(x, y []int) (less, known bool) {
	for i := range 3 {
		if i >= len(x) || i >= len(y) {
			return false, false
		}
		if x[i] != y[i] {
			return x[i] < y[i], true
		}
	}
	return false, true
}

// opened is where q last began to look for a leader, -1 for never.
func (o oracle) opened(q tracefmt.ProcessID, k int) int {
	for i := k - 1; i >= 0; i-- {
		if o.events[i].Process == q && o.opens(i) {
			return i
		}
	}
	return -1
}

// followers are the processes that recorded their choice of q, since q last began to look for a leader.
func (o oracle) followers(q tracefmt.ProcessID, k int) int {
	return len(slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		return !slices.ContainsFunc(o.indices()[:k], func(i int) bool {
			choice, recordsLeading := o.chooses(i)
			opens := o.opens(i) && p == q
			return i >= o.opened(q, k) && (i > o.opened(q, k) || opens || p != q) && o.events[i].Process == p &&
				recordsLeading && choice == q && o.votes(p, i+1)
		})
	}))
}

func (o oracle) voters(k int) (list []tracefmt.ProcessID) {
	return slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.votes(p, k) })
}

// elections are the events with which an elector chooses a process without a recorded majority.
func (o oracle) elections() (list []int) {
	for i, e := range o.events {
		choice, recordsLeading := o.chooses(i)
		if recordsLeading && choice > 0 && choice != e.Process && choice != o.choiceOf(e.Process, i) && e.Kind == tracefmt.State &&
			o.votes(e.Process, i+1) && 2*o.followers(choice, i) <= len(o.voters(i+1)) {
			list = append(list, i)
		}
	}
	return list
}

func (o oracle) electedLess() (wrong, examined int) {
	for _, i := range o.elections() {
		p := o.events[i].Process
		q, _ := o.chooses(i)
		worse, known := less(o.seen(q, q, i+1), o.seen(p, q, i+1))
		if known {
			examined++
		}
		if worse && (o.choiceOf(q, i+1) != q || !o.possibleLeader(p, q, i)) {
			wrong++
		}
	}
	return wrong, examined
}

// mayLead: a majority of the later electors may have elected q before the event at i, without p.
func (o oracle) possibleLeader(p, q tracefmt.ProcessID, i int) bool {
	may, list := 0, 0
	for _, v := range o.processes() {
		now, later := o.votes(v, i+1), o.votes(v, len(o.events)) && !o.votes(v, i+1)
		if now || later {
			list++
		}
		more, _ := less(o.seen(q, q, i+1), o.seen(v, q, i+1))
		out := !o.live(v, i+1) && o.downSince(v, i) < o.opened(q, i+1)
		if later || now && v != p && !more && !out {
			may++
		}
	}
	return 2*may > list
}

func (o oracle) downSince(p tracefmt.ProcessID, k int) int {
	for ; o.live(p, k+1); k-- {
	}
	for ; k >= 0 && (o.events[k].Process != p || !slices.Contains([]tracefmt.Kind{tracefmt.Crash, tracefmt.Halt}, o.events[k].Kind)); k-- {
	}
	return k
}

func (o oracle) seenUnknown() bool {
	wrong, _ := o.electedLess()
	return wrong == 0 && slices.ContainsFunc(o.elections(), func(i int) bool {
		q, _ := o.chooses(i)
		_, known := less(o.seen(q, q, i+1), o.seen(o.events[i].Process, q, i+1))
		return !known
	})
}

// recordsSeen: some process records its epoch, some its zxid, and some elects.
func (o oracle) recordsSeen() bool {
	recorded := map[string]bool{}
	for k := range o.events {
		for name, value := range o.assignments(k) {
			recorded[name] = recorded[name] || name == "elected" || value != "null"
		}
	}
	wrong, _ := o.electedLess()
	return o.run.Problem == tracefmt.Zab && recorded["elected"] && ((recorded["epoch"] || recorded["term"]) && recorded["zxid"] || wrong > 0)
}
