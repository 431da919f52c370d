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

// claim is an event in which a process says that it leads.
type claim struct {
	event, term int
	told        bool // the term
	process     tracefmt.ProcessID
}

func (o oracle) standsBy(p tracefmt.ProcessID) bool { return o.aside(p) }

func (o oracle) claims() (all []claim) {
	for k, e := range o.events {
		now, says := o.assignments(k), o.variablesOf(e.Process, k+1)
		if !o.live(e.Process, k+1) || o.standsBy(e.Process) || o.steppedDown(e.Process, k+1) {
			continue
		}
		role, hasRole := says["role"]
		leads := role == `"leader"` || !hasRole && o.member(says["elected"]) == e.Process
		_, tellsRole := now["role"]
		if leads && (tellsRole || o.member(now["elected"]) == e.Process) {
			term, told := o.term(e.Process, k+1)
			all = append(all, claim{k, term, told, e.Process})
		}
	}
	return all
}

// tells reports whether an event names a variable.
func (o oracle) tells(names ...string) bool {
	for k := range o.events {
		for name, value := range o.assignments(k) {
			if slices.Contains(names, name) && (name != "role" || value != "null") {
				return true
			}
		}
	}
	return false
}

func (o oracle) tellsLeaders() bool {
	for k, e := range o.events {
		switch e.Kind {
		case tracefmt.Start, tracefmt.State, tracefmt.Recover:
			if _, told := o.term(e.Process, k+1); told && !o.standsBy(e.Process) {
				return o.tells("role", "elected")
			}
		}
	}
	return false
}

func (o oracle) uniqueLeader() (wrong, examined int) {
	claims := slices.DeleteFunc(o.claims(), func(c claim) bool { return !c.told })
	for _, c := range claims {
		first := slices.IndexFunc(claims, func(x claim) bool { return x.term == c.term })
		if claims[first].process != c.process {
			wrong++
		}
	}
	return wrong, len(claims)
}

func (o oracle) uniqueLeaderOpen() bool {
	wrong, _ := o.uniqueLeader()
	return wrong == 0 && slices.ContainsFunc(o.claims(), func(c claim) bool { return !c.told })
}

// voted reports whether p votes for q in a term among the first k events; q = 0 is
// any process.
func (o oracle) voted(p, q tracefmt.ProcessID, term, k int) bool {
	for i, e := range o.events[:k] {
		choice := o.member(o.assignments(i)["votedFor"])
		now, told := o.term(e.Process, i+1)
		if e.Process == p && !o.standsBy(p) && choice != 0 && (q == 0 || choice == q) && told && (term < 0 || now == term) {
			return true
		}
	}
	return false
}

// denies reports whether p says to the end that it has voted for none in a term, in which
// it does not lead.
func (o oracle) denies(p tracefmt.ProcessID, term int) bool {
	if o.whole() || !o.quiescent() || !o.live(p, len(o.events)) ||
		slices.ContainsFunc(o.claims(), func(c claim) bool { return c.process == p && c.told && c.term == term }) {
		return false
	}
	for k, e := range o.events {
		value, says := o.assignments(k)["votedFor"]
		now, told := o.term(p, k+1)
		if e.Process == p && says && (value == "null" || value == `""`) && told && now == term && !o.standsBy(p) {
			return true
		}
	}
	return false
}

// electing are the processes that elect or vote, as the first k events show; known says
// that there are no others.
func (o oracle) electing(k int) (n int, known bool) {
	silent := false
	for _, p := range o.processes() {
		takesPart := !o.standsBy(p) && (o.run.Role(p) != "" || o.run.Source == tracefmt.Simulated)
		speaks := oracle{o.run, slices.DeleteFunc(slices.Clone(o.events[:k]),
			func(e tracefmt.Event) bool { return e.Process != p })}.tells("role", "elected", "votedFor")
		known = known || takesPart
		if takesPart || !o.standsBy(p) && speaks {
			n++
		} else if !o.standsBy(p) {
			silent = true
		}
	}
	return n, known || !silent
}

// mayElect: p acts, and does not say whether it elects.
func (o oracle) mayElect(p tracefmt.ProcessID, k int) bool {
	alone := oracle{o.run, slices.DeleteFunc(slices.Clone(o.events[:k]), func(e tracefmt.Event) bool { return e.Process != p })}
	return o.run.Role(p) == "" && o.run.Source != tracefmt.Simulated && o.acts(p) && !alone.tells("role", "elected", "votedFor")
}

// firstClaims are those of each process in each term.
func (o oracle) firstClaims() (all []claim) {
	for _, c := range o.claims() {
		if c.told && !slices.ContainsFunc(all, func(x claim) bool { return x.term == c.term && x.process == c.process }) {
			all = append(all, c)
		}
	}
	return all
}

func (o oracle) quorum() (wrong, examined int) {
	wrong, examined, _ = o.candidates()
	return wrong, examined
}

// quorumOpen: of one leader the votes of a majority are told, and of another they are not, which a log may lack.
func (o oracle) quorumOpen() bool {
	wrong, _, few := o.candidates()
	return wrong == 0 && few > 0
}

// candidates counts the leaders that lack a majority, those of which that is known, and those of which too few votes are told.
func (o oracle) candidates() (wrong, examined, few int) {
	for _, c := range o.firstClaims() {
		end := len(o.events)
		if o.whole() {
			end = c.event + 1
		}
		n, known := o.electing(end)
		votes, others := 0, 0
		for _, p := range o.processes() {
			switch {
			case o.voted(p, c.process, c.term, end):
				votes++
			case o.voted(p, 0, c.term, end), o.denies(p, c.term):
				others++
			}
		}
		doubtful := len(slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.mayElect(p, end) }))
		astray := o.voted(c.process, 0, c.term, end) && !o.voted(c.process, c.process, c.term, end)
		switch {
		case o.whole() && votes <= n/2, !o.whole() && (astray || known && n-others <= n/2):
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

// tellsVotes: votes and leaders are told, and if there are leaders, votes enough
// for one of them.
func (o oracle) tellsVotes() bool {
	_, examined := o.quorum()
	return o.tells("votedFor") && o.tells("role", "elected") && (examined > 0 || len(o.firstClaims()) == 0)
}
