package property_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// log returns the log of p after the first k events.
func (o oracle) log(p tracefmt.ProcessID, k int) map[int]string {
	log := map[int]string{}
	for name, value := range o.variablesOf(p, k) {
		if index, ok := strings.CutPrefix(name, "log["); ok {
			i, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			log[i] = value
		}
	}
	return log
}

// places are the indices that the event at k names, in ascending order.
func (o oracle) places(k int) (all []int) {
	for name := range o.assignments(k) {
		if index, ok := strings.CutPrefix(name, "log["); ok {
			i, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

func (o oracle) number(p tracefmt.ProcessID, k int, variable string) int {
	n, _ := strconv.Atoi(o.variablesOf(p, k)[variable])
	return n
}

func (o oracle) leads(p tracefmt.ProcessID, k int) bool {
	return o.live(p, k) && o.variablesOf(p, k)["role"] == `"leader"`
}

func (o oracle) appendOnly() (wrong, examined int) {
	for k, e := range o.events {
		p := e.Process
		if e.Kind == tracefmt.Recover || !o.leads(p, k) || !o.leads(p, k+1) || o.number(p, k, "term") != o.number(p, k+1, "term") {
			continue
		}
		before, after := o.log(p, k), o.log(p, k+1)
		for _, i := range o.places(k) {
			if before[i] == after[i] {
				continue
			}
			examined++
			snapshot := after[i] == "" && after[i-1] == "" && i <= o.number(p, k+1, "commit")
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

func (o oracle) sights() (all []sight, put int) {
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
			all = append(all, s)
		}
	}
	return all, put
}

func (o oracle) logMatching() (wrong, examined int) {
	all, put := o.sights()
	for _, s := range all {
		first := slices.IndexFunc(all, func(x sight) bool { return x.index == s.index })
		behind := slices.IndexFunc(all, func(x sight) bool {
			f := all[slices.IndexFunc(all, func(y sight) bool { return y.index == x.index })]
			return x.index == s.index && x.before != "" && x.entry == f.entry
		})
		if all[first].entry != s.entry || s.before != "" && all[behind].before != s.before {
			wrong++
		}
	}
	return wrong, put
}

// commit is an entry that a server comes to know to be committed.
type commit struct {
	event, index, term int
	entry              string
}

func (o oracle) passed(p tracefmt.ProcessID, k int) (most int) {
	for i := range k {
		if o.events[i].Process == p {
			if o.events[i].Kind == tracefmt.Recover {
				most = 0
			}
			most = max(most, o.number(p, i+1, "commit"))
		}
	}
	return most
}

func (o oracle) commits() (all []commit) {
	for k, e := range o.events {
		p := e.Process
		was := o.passed(p, k)
		if e.Kind == tracefmt.Recover {
			was = 0
		}
		log := o.log(p, k+1)
		for i := range 6 {
			named := slices.Contains(o.places(k), i)
			if log[i] != "" && i <= o.passed(p, k+1) && (i > was || named) {
				all = append(all, commit{k, i, o.number(p, k+1, "term"), log[i]})
			}
		}
	}
	return all
}

func (o oracle) stateMachine() (wrong, examined int) {
	all := o.commits()
	for _, c := range all {
		first := slices.IndexFunc(all, func(x commit) bool { return x.index == c.index })
		if examined++; all[first].entry != c.entry {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) completeness() (wrong, examined int) {
	all := o.commits()
	// known is the first entry known at an index after event k, and the lowest
	// term in which it was known.
	known := func(index, k int) (entry string, lowest int) {
		for _, c := range all {
			if c.index != index || c.event > k || entry != "" && entry != c.entry {
				continue
			}
			if entry == "" || c.term < lowest {
				entry, lowest = c.entry, c.term
			}
		}
		return entry, lowest
	}
	lacks := func(p tracefmt.ProcessID, index, k int) bool {
		entry, lowest := known(index, k)
		has := o.log(p, k+1)[index]
		return entry != "" && lowest < o.number(p, k+1, "term") && has != entry && (has != "" || index > o.number(p, k+1, "commit"))
	}
	for k, e := range o.events {
		for _, p := range o.processes() {
			if !o.leads(p, k+1) {
				continue
			}
			begins := e.Process == p && e.Kind == tracefmt.Recover || !o.leads(p, k) || o.number(p, k, "term") != o.number(p, k+1, "term")
			missing, any := 0, false
			for index := range 6 {
				entry, lowest := known(index, k)
				_, before := known(index, k-1)
				old, _ := known(index, k-1)
				any = any || entry != ""
				news := entry != "" && (old == "" || lowest < before)
				if lacks(p, index, k) && (begins || news) {
					missing++
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
	return wrong, examined
}
