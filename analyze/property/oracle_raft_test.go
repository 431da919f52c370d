package property_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// whole: the record is complete, as that of etrace is.
func (o oracle) complete() bool { return o.run.Source == tracefmt.Simulated }

// recordsLogs: the run declares complete logs, so that a missing entry does not exist.
func (o oracle) recordsLogs() bool {
	return o.complete() || o.run.Completeness.Kinds[tracefmt.State.String()] == tracefmt.All
}

// log returns the log of p after the first k events. Without a declaration of complete logs, an entry that replaces
// one of another term ends the log, or the entries that the event puts after it do.
func (o oracle) log(p tracefmt.ProcessID, k int) map[int]string {
	log := map[int]string{}
	for i, e := range o.events[:k] {
		if e.Process != p {
			continue
		}
		if o.nextLife(i) {
			clear(log)
		}
		named, end := o.places(i), 100
		if !o.replicates(p) {
			continue
		}
		for _, index := range named {
			value := o.assignments(i)[fmt.Sprintf("log[%d]", index)]
			if value != "null" && log[index] != "" && termOf(log[index]) != termOf(value) && !o.recordsLogs() {
				end = min(end, index)
			}
			log[index] = value
			if value == "null" {
				delete(log, index)
			}
		}
		maps.DeleteFunc(log, func(index int, _ string) bool { return index > end && !slices.Contains(named, index) })
	}
	return log
}

// replicates: p may have a copy of the log.
func (o oracle) replicates(p tracefmt.ProcessID) bool {
	return !slices.Contains([]string{`"client"`, `"controller"`, `"byzantine"`}, o.attribute(p, "role"))
}

// replicated is [variables] for logs and commit indices of possible replicas.
func replicated(names ...string) func(oracle) bool {
	return func(o oracle) bool {
		state := oracle{o.run, slices.Clone(o.events)}
		for i := range state.events {
			if p := state.events[i].Process; p != 0 && !o.replicates(p) {
				state.events[i].Payload = nil
			}
		}
		return !slices.ContainsFunc(names, func(name string) bool {
			if name == "role" {
				return !variables(name)(o)
			}
			return !variables(name)(state)
		})
	}
}

// namedFrom is the lowest index that p has named since it recovered.
func (o oracle) namedFrom(p tracefmt.ProcessID, k int) int {
	lowest := 100
	for i, e := range o.events[:k] {
		if e.Process == p && o.nextLife(i) {
			lowest = 100
		}
		if named := o.places(i); e.Process == p && len(named) > 0 {
			lowest = min(lowest, named[0])
		}
	}
	return lowest
}

// places are the indices that the event at k names, in ascending order.
func (o oracle) places(k int) (list []int) {
	for name := range o.assignments(k) {
		if index, ok := strings.CutPrefix(name, "log["); ok {
			i, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list
}

func (o oracle) term(p tracefmt.ProcessID, k int) (n int, recorded bool) {
	n, err := strconv.Atoi(strings.Trim(o.variablesOf(p, k)["term"], `"`))
	return n, err == nil
}

// commitIndexes are the commit index of p after each event: -1 for none.
func (o oracle) commitIndexes(p tracefmt.ProcessID) []int {
	list, negative := []int{-1}, false
	for k, e := range o.events {
		index := list[k]
		value, named := o.assignments(k)["commit"]
		n, err := strconv.Atoi(strings.Trim(value, `"`))
		negative = negative || e.Process == p && named && n < 0
		switch {
		case e.Process != p:
		// Some servers count from 0 and write -1 for none, others count from 1 and write 0.
		case named && (err != nil || n < 0 || n == 0 && !negative):
			index = -1
		case named:
			index = n
		case o.nextLife(k):
			index = -1
		}
		list = append(list, index)
	}
	return list
}

func (o oracle) commitIndex(p tracefmt.ProcessID, k int) int { return o.commitIndexes(p)[k] }

// leads: p has recorded that it leads, and no other term since then.
func (o oracle) leads(p tracefmt.ProcessID, k int) (led bool) {
	for i, e := range o.events[:k] {
		if e.Process != p || !slices.Contains([]tracefmt.Kind{
			tracefmt.Start, tracefmt.Recover, tracefmt.State,
			tracefmt.Crash, tracefmt.Halt,
		}, e.Kind) {
			continue
		}
		_, says := o.assignments(i)["role"]
		before, recorded := o.term(p, i)
		after, tells := o.term(p, i+1)
		same := !recorded || !tells || before == after
		led = !o.aside(p) && o.live(p, i+1) && o.variablesOf(p, i+1)["role"] == `"leader"` && (says || led && same && !o.nextLife(i))
	}
	return led
}

// begins: p becomes leader with the event at k, or leader of another term.
func (o oracle) begins(p tracefmt.ProcessID, k int) bool {
	before, recorded := o.term(p, k)
	after, tells := o.term(p, k+1)
	return o.leads(p, k+1) && o.events[k].Process == p &&
		(!o.leads(p, k) || o.nextLife(k) || recorded != tells || before != after)
}

func (o oracle) appendOnly() (wrong, examined int) {
	for k, e := range o.events {
		p := e.Process
		if o.nextLife(k) || !o.leads(p, k) || !o.leads(p, k+1) || o.begins(p, k) {
			continue
		}
		before, after := o.log(p, k), o.log(p, k+1)
		for _, i := range o.places(k) {
			if before[i] == after[i] {
				continue
			}
			examined++
			// A snapshot removes committed entries from the beginning of the log only.
			snapshot := after[i] == "" && after[i-1] == "" && i <= o.commitIndex(p, k+1)
			if before[i] != "" && !snapshot {
				wrong++
			}
		}
	}
	return wrong, examined
}

func termOf(entry string) int {
	var e struct{ Term int }
	_ = json.Unmarshal([]byte(entry), &e) // entries are drawn as objects
	return e.Term
}

// sight is an entry that an event puts into a log, or after another one.
type sight struct{ index, entry, before string }

func (o oracle) sights() (list []sight, put int) {
	for k, e := range o.events {
		log, places := o.log(e.Process, k+1), o.places(k)
		for i := range 6 {
			if slices.Contains(places, i) && log[i] != "" {
				put++
			} else if !slices.Contains(places, i-1) || log[i] == "" {
				continue
			}
			s := sight{index: fmt.Sprint(i, termOf(log[i])), entry: log[i]}
			if log[i-1] != "" {
				s.before = fmt.Sprint(termOf(log[i-1]))
			}
			list = append(list, s)
		}
	}
	return list, put
}

func (o oracle) logMatching() (wrong, examined int) {
	list, put := o.sights()
	for _, s := range list {
		first := slices.IndexFunc(list, func(x sight) bool { return x.index == s.index })
		behind := slices.IndexFunc(list, func(x sight) bool {
			f := list[slices.IndexFunc(list, func(y sight) bool { return y.index == x.index })]
			return x.index == s.index && x.before != "" && x.entry == f.entry
		})
		if list[first].entry != s.entry || s.before != "" && list[behind].before != s.before {
			wrong++
		}
	}
	return wrong, put
}

// commit is an entry that a server comes to know to be committed.
type commit struct {
	event, index, term int
	recorded           bool // the term
	entry              string
}

func (o oracle) passed(p tracefmt.ProcessID, k int) int {
	limit, list := -1, o.commitIndexes(p)
	for i := range k {
		if o.events[i].Process == p && o.nextLife(i) {
			limit = -1
		}
		limit = max(limit, list[i+1])
	}
	return limit
}

func (o oracle) commits() (list []commit) {
	for k, e := range o.events {
		p := e.Process
		was := o.passed(p, k)
		if o.nextLife(k) {
			was = -1
		}
		log := o.log(p, k+1)
		for i := range 6 {
			named := slices.Contains(o.places(k), i)
			if log[i] != "" && i <= o.passed(p, k+1) && (i > was || named) {
				term, recorded := o.term(p, k+1)
				list = append(list, commit{k, i, max(term, termOf(log[i])), recorded, log[i]})
			}
		}
	}
	return list
}

func (o oracle) stateMachine() (wrong, examined int) {
	list := o.commits()
	for _, c := range list {
		first := slices.IndexFunc(list, func(x commit) bool { return x.index == c.index })
		if examined++; list[first].entry != c.entry {
			wrong++
		}
	}
	return wrong, examined
}

// known is the first entry known to be committed at an index after event k, and
// the lowest term in which a server is known to have known it.
func (o oracle) known(list []commit, index, k int) (first commit, ok bool) {
	for _, c := range list {
		switch {
		case c.index != index || c.event > k || ok && c.entry != first.entry:
		case !ok || c.recorded && (!first.recorded || c.term < first.term):
			first, ok = c, true
		}
	}
	return first, ok
}

// lacks reports whether p leads without a committed entry, for certain or maybe.
func (o oracle) lacks(p tracefmt.ProcessID, k int, done commit) (certain, possible bool) {
	log, index := o.log(p, k), o.commitIndex(p, k)
	has := log[done.index]
	term, recorded := o.term(p, k)
	lowest := done.term
	if !done.recorded {
		lowest = termOf(done.entry)
	}
	if has == done.entry || has == "" && done.index <= index || recorded && term <= lowest {
		return false, false
	}
	indices := slices.Sorted(maps.Keys(log))
	shown := o.recordsLogs() || has != ""
	if n := len(indices); !shown {
		shown = !o.gapped(p, k) && done.index >= o.namedFrom(p, k) && (n == 0 && index < 0 || n > 0 && index <= indices[n-1])
	}
	return shown && recorded && done.recorded, true
}

// gapped: the log of p has had gaps since it was empty, as it is before a recovery.
func (o oracle) gapped(p tracefmt.ProcessID, k int) (gapped bool) {
	for i, e := range o.events[:k] {
		indices := slices.Sorted(maps.Keys(o.log(p, i+1)))
		n := len(indices)
		if e.Process == p {
			gapped = n > 0 && (gapped && !o.nextLife(i) || indices[n-1]-indices[0] != n-1)
		}
	}
	return gapped
}

func (o oracle) completeness() (wrong, examined int) {
	wrong, examined, _ = o.incomplete()
	return wrong, examined
}

// completenessOpen: some leader may lack a committed entry, and none does for
// certain.
func (o oracle) completenessOpen() bool {
	wrong, _, open := o.incomplete()
	return wrong == 0 && open
}

func (o oracle) incomplete() (wrong, examined int, open bool) {
	list := o.commits()
	for k := range o.events {
		for _, p := range o.processes() {
			if !o.leads(p, k+1) {
				continue
			}
			begins, missing, any := o.begins(p, k), 0, false
			for index := range 6 {
				done, ok := o.known(list, index, k)
				any = any || ok
				if !ok {
					continue
				}
				old, was := o.known(list, index, k-1)
				certain, possible := o.lacks(p, k+1, done)
				if news := !was || old != done; possible && (begins || news) {
					open = true
					if certain {
						missing++
					}
				}
			}
			if begins {
				missing = min(missing, 1)
				if any {
					examined++
				}
			}
			wrong += missing
		}
	}
	return wrong, examined, open
}
