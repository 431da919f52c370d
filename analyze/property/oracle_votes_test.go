package property_test

import (
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// member is the process that a value of a variable names, 0 for none.
func (o oracle) member(value string) tracefmt.ProcessID {
	n, err := strconv.Atoi(strings.Trim(value, `"`))
	if err != nil || n < 1 || n > len(o.run.Members) {
		return 0
	}
	return tracefmt.ProcessID(n)
}

// claim is an event in which a process records that it leads.
type claim struct {
	event, term int
	recorded    bool // the term
	process     tracefmt.ProcessID
}

func (o oracle) bystander(p tracefmt.ProcessID) bool { return o.aside(p) }

func (o oracle) claims() (list []claim) {
	for k, e := range o.events {
		now, assigned := o.assignments(k), o.variablesOf(e.Process, k+1)
		if !o.live(e.Process, k+1) || o.bystander(e.Process) || o.steppedDown(e.Process, k+1) {
			continue
		}
		role, hasRole := assigned["role"]
		leads := role == `"leader"` || !hasRole && o.member(assigned["elected"]) == e.Process
		_, tellsRole := now["role"]
		if leads && (tellsRole || o.member(now["elected"]) == e.Process) {
			term, recorded := o.term(e.Process, k+1)
			list = append(list, claim{k, term, recorded, e.Process})
		}
	}
	return list
}

// assigns reports whether an event assigns a variable.
func (o oracle) assigns(names ...string) bool {
	for k := range o.events {
		for name, value := range o.assignments(k) {
			if slices.Contains(names, name) && (name != "role" || value != "null") {
				return true
			}
		}
	}
	return false
}

func (o oracle) recordsLeaders() bool {
	for k, e := range o.events {
		switch e.Kind {
		case tracefmt.Start, tracefmt.State, tracefmt.Recover:
			if _, recorded := o.term(e.Process, k+1); recorded && !o.bystander(e.Process) {
				return o.assigns("role", "elected")
			}
		}
	}
	return false
}

func (o oracle) uniqueLeader() (wrong, examined int) {
	claims := slices.DeleteFunc(o.claims(), func(c claim) bool { return !c.recorded })
	for _, c := range claims {
		first := slices.IndexFunc(claims, func(x claim) bool { return x.term == c.term })
		if claims[first].process != c.process {
			wrong++
		}
	}
	return wrong, len(claims)
}

// namedLeader counts the events that name another leader than the first event that names one in that term.
func (o oracle) namedLeader() (wrong, examined int) {
	first := make(map[int]tracefmt.ProcessID)
	for k, e := range o.events {
		now := o.assignments(k)
		leader := o.member(now["elected"])
		term, err := strconv.Atoi(strings.Trim(now["term"], `"`))
		leads := slices.ContainsFunc(o.claims(), func(c claim) bool { return c.event == k })
		if leader == 0 || err != nil || o.bystander(e.Process) || leader == e.Process && !leads {
			continue
		}
		examined++
		if first[term] == 0 {
			first[term] = leader
		}
		if first[term] != leader {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) recordsNames() bool {
	return o.recordsLeaders() && slices.ContainsFunc(o.indices(), func(k int) bool {
		_, assigns := o.assignments(k)["elected"]
		return assigns && !o.bystander(o.events[k].Process)
	})
}

func (o oracle) uniqueLeaderOpen() bool {
	wrong, _ := o.uniqueLeader()
	return wrong == 0 && slices.ContainsFunc(o.claims(), func(c claim) bool { return !c.recorded })
}

// voted reports whether p votes for q in a term among the first k events; q = 0 is
// any process.
func (o oracle) voted(p, q tracefmt.ProcessID, term, k int) bool {
	for i, e := range o.events[:k] {
		choice := o.member(o.assignments(i)["votedFor"])
		now, recorded := o.term(e.Process, i+1)
		if e.Process == p && !o.bystander(p) && choice != 0 && (q == 0 || choice == q) && recorded && (term < 0 || now == term) &&
			!o.tooLate(p, choice, term, i) {
			return true
		}
	}
	return false
}

// tooLate reports whether p votes at an event for a process that led the term before p came up.
func (o oracle) tooLate(p, q tracefmt.ProcessID, term, at int) bool {
	if o.complete() {
		return false
	}
	up := -1
	for i, e := range o.events[:at+1] {
		if e.Process == p && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover) {
			up = i
		}
	}
	return slices.ContainsFunc(o.claims(), func(c claim) bool {
		return c.recorded && c.process == q && c.term == term && c.event < up
	})
}

// denies reports whether p records to the end that it did not vote in a term in which it does not lead.
func (o oracle) denies(p tracefmt.ProcessID, term int) bool {
	if o.complete() || !o.quiescent() || !o.live(p, len(o.events)) ||
		slices.ContainsFunc(o.claims(), func(c claim) bool { return c.process == p && c.recorded && c.term == term }) {
		return false
	}
	for k, e := range o.events {
		value, says := o.assignments(k)["votedFor"]
		// An empty vote counts in the term that the process has after the event.
		now, recorded := o.term(p, k+1)
		if e.Process == p && says && (value == "null" || value == `""`) && recorded && now == term && !o.bystander(p) {
			return true
		}
	}
	return false
}

// electing are the processes that elect or vote, as the first k events show; known is false if there may be others.
func (o oracle) electing(k int) (n int, known bool) {
	silent := false
	for _, p := range o.processes() {
		takesPart := !o.bystander(p) && (o.run.Role(p) != "" || o.run.Source == tracefmt.Simulated)
		speaks := oracle{o.run, slices.DeleteFunc(slices.Clone(o.events[:k]),
			func(e tracefmt.Event) bool { return e.Process != p })}.assigns("role", "elected", "votedFor")
		known = known || takesPart
		if takesPart || !o.bystander(p) && speaks {
			n++
		} else if !o.bystander(p) {
			silent = true
		}
	}
	return n, known || !silent
}

// mayElect: p acts without a record of whether it elects.
func (o oracle) possibleElectors(p tracefmt.ProcessID, k int) bool {
	alone := oracle{o.run, slices.DeleteFunc(slices.Clone(o.events[:k]), func(e tracefmt.Event) bool { return e.Process != p })}
	return o.run.Role(p) == "" && o.run.Source != tracefmt.Simulated && o.acts(p) && !alone.assigns("role", "elected", "votedFor")
}

// firstClaims are those of each process in each term.
func (o oracle) firstClaims() (list []claim) {
	for _, c := range o.claims() {
		if c.recorded && !slices.ContainsFunc(list, func(x claim) bool { return x.term == c.term && x.process == c.process }) {
			list = append(list, c)
		}
	}
	return list
}

func (o oracle) quorum() (wrong, examined int) {
	wrong, examined, _ = o.candidates()
	return wrong, examined
}

// quorumOpen: one leader has recorded votes of a majority, and another has not, which a log may lack.
func (o oracle) quorumOpen() bool {
	wrong, _, few := o.candidates()
	return wrong == 0 && few > 0
}

// candidates counts the leaders without a majority, the certain ones among them, and the leaders with too few
// recorded votes.
func (o oracle) candidates() (wrong, examined, few int) {
	for _, c := range o.firstClaims() {
		end := len(o.events)
		if o.complete() {
			end = c.event + 1
		}
		n, known := o.electing(end)
		votes, rivals := 0, 0
		for _, p := range o.processes() {
			switch {
			case o.voted(p, c.process, c.term, end):
				votes++
			case o.voted(p, 0, c.term, end), o.denies(p, c.term):
				rivals++
			}
		}
		doubtful := len(slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.possibleElectors(p, end) }))
		astray := o.voted(c.process, 0, c.term, end) && !o.voted(c.process, c.process, c.term, end)
		switch {
		case o.complete() && votes <= n/2, !o.complete() && (astray || known && n-rivals <= n/2):
			wrong++
			examined++
		case votes > n/2 && votes <= (n+doubtful)/2:
			examined++
			few++ // as far as is known
		case votes > n/2:
			examined++
		default:
			few++
		}
	}
	return wrong, examined, few
}

// recordsVotes: votes and leaders are recorded, and if there are leaders, enough votes for one of them.
func (o oracle) recordsVotes() bool {
	_, examined := o.quorum()
	return o.assigns("votedFor") && o.assigns("role", "elected") && (examined > 0 || len(o.firstClaims()) == 0)
}
