package raft_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/fixtures/size"
	"etrace/record/algorithm/raft"
	"etrace/tracefmt"
)

func simulated(t interaction.T, plan string) *tracefmt.Memory {
	t.Helper()
	return interaction.Record(t, "algorithm: raft, %s", plan)
}

// TestMessages: an election costs 4(n-1), a command 2(n-1), and where c are down each of these three rounds
// loses c answers. The candidate leads after 2, the command is committed after 2.
func TestMessages(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25} {
		for c := 0; n-c > n/2; c++ {
			down := ""
			for p := n - c + 1; p <= n; p++ {
				down += fmt.Sprintf("%d, ", p)
			}
			plan := fmt.Sprintf("nodes: %d, down: [%s], start: [1@0, 1@10]", n, strings.TrimSuffix(down, ", "))
			m := simulated(t, plan)
			byType := interaction.Count(m).ByType
			want := map[string]int{"RequestVote": n - 1, "Vote": n - 1 - c, "AppendEntries": 2 * (n - 1), "Appended": 2 * (n - 1 - c)}
			if diff := cmp.Diff(want, byType); diff != "" {
				t.Errorf("%s: messages (-want +got):\n%s", plan, diff)
			}
			if at := firstTime(m, "role", `"leader"`); at != 2*tracefmt.Unit {
				t.Errorf("%s: leads at %v, want 2", plan, at)
			}
			if at := firstTime(m, "commit", "1"); at != 12*tracefmt.Unit {
				t.Errorf("%s: commits at %v, want 12", plan, at)
			}
		}
	}
}

// TestMessagesForAnyDelays: the number of messages does not depend on delays and reordering, as long as each
// command is given after everything of the last one has been delivered.
func TestMessagesForAnyDelays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}).Draw(t, "n")
		c := rapid.IntRange(0, (n-1)/2).Draw(t, "down")
		leader := rapid.IntRange(1, n-c).Draw(t, "leader")
		var down []string
		for p := n - c + 1; p <= n; p++ {
			down = append(down, strconv.Itoa(p))
		}
		plan := fmt.Sprintf("nodes: %d, down: [%s], start: [%d@0, %d@1000, %d@2000], delay: %s, reorder: "+
			"%s, seed: %d", n, strings.Join(down, ", "), leader, leader, leader,
			rapid.SampledFrom([]string{"exponential(1)", "'uniform(0,9)'"}).Draw(t, "delay"),
			rapid.SampledFrom([]string{"on", "off"}).Draw(t, "reorder"), rapid.IntRange(0, 9999).Draw(t, "seed"))
		if got := interaction.Count(simulated(t, plan)).Sent; got != 4*(n-1)-2*c+2*(2*(n-1)-c) {
			t.Fatalf("%s: %d messages, want 4(n-1) - 2*%d for the election and 2(n-1) - %d for each command", plan, got, c, c)
		}
	})
}

// TestFollowersKnowWithTheNext: that a command is committed the others learn by the AppendEntries of the next one.
func TestFollowersKnowWithTheNext(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25} {
		got := map[string]int{}
		for e := range simulated(t, fmt.Sprintf("nodes: %d, start: [1@0, 1@10, 1@20]", n)).Events(1) {
			if value, ok := e.Field("commit"); ok && e.Kind == tracefmt.State {
				got[fmt.Sprintf("%s at %v, leader: %t", value, e.Time, e.Process == 1)]++
			}
		}
		want := map[string]int{"1 at 12, leader: true": 1, "1 at 21, leader: false": n - 1, "2 at 22, leader: true": 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("n = %d: known to be committed (-want +got):\n%s", n, diff)
		}
	}
}

// firstTime is when a variable is first assigned a value, -1 for never.
func firstTime(m *tracefmt.Memory, name, value string) tracefmt.Time {
	for e := range m.Events(1) {
		if got, ok := e.Field(name); ok && e.Kind == tracefmt.State && string(got) == value {
			return e.Time
		}
	}
	return -1
}

// TestWhoLeadsWhen: the times of R5 to R7, by which two lead at one time, in different terms.
func TestWhoLeadsWhen(t *testing.T) {
	for plan, want := range map[string]string{
		"start: 1@20, partition: '1,2|3@15-45'": "1 in term 1 from 12 to 48; 1 in term 5 from 60",
		"start: 1@20":                           "1 in term 1 from 12",
		"crash: 1@20":                           "1 in term 1 from 12 to 20; 2 in term 2 from 33",
		"start: 1@20, partition: '1|2,3@15-45'": "1 in term 1 from 12 to 46; 2 in term 2 from 29",
	} {
		m := simulated(t, "nodes: 3, params: {timers: on}, until: 90.5, "+plan)
		if got := strings.Join(reigns(m), "; "); got != want {
			t.Errorf("%s: %s, want %s", plan, got, want)
		}
	}
}

// reigns lists the leaders with their terms and times.
func reigns(m *tracefmt.Memory) (list []string) {
	servers, open := newServers(m), map[tracefmt.ProcessID]int{}
	for e := range m.Events(1) {
		if e.Process == 0 {
			continue
		}
		s := &servers[e.Process]
		s.take(e)
		i, led := open[e.Process]
		switch leads := s.up && s.role == "leader"; {
		case leads && !led:
			open[e.Process] = len(list)
			list = append(list, fmt.Sprintf("%s in term %d from %v", s.name, s.term, e.Time))
		case led && !leads:
			list[i] += fmt.Sprintf(" to %v", e.Time)
			delete(open, e.Process)
		}
	}
	return list
}

// witness is what must hold in every run: of all that was ever in a log, committed, or led.
type witness struct {
	entries   map[[2]int64][]entry // by index and term: the log up to there
	applied   map[int]entry
	inTerm    map[int]int64 // by index: the least term in which it was committed
	leaders   map[int64]tracefmt.ProcessID
	votes     map[[2]int64]int64 // by voter and term
	elections int
	commits   int
}

// unsafe describes violations of safety in a run, "" for none: two leaders of a term; two votes; a decreasing
// term; logs with a common entry that differ before it; servers that apply different entries; a leader without
// an entry committed in an earlier term.
func (w *witness) unsafe(m *tracefmt.Memory) string {
	*w = witness{
		map[[2]int64][]entry{},
		map[int]entry{},
		map[int]int64{},
		map[int64]tracefmt.ProcessID{},
		map[[2]int64]int64{},
		w.elections, w.commits,
	}
	servers, terms := newServers(m), make([]int64, len(m.Run().Members)+1)
	for e := range m.Events(1) {
		if e.Process == 0 {
			continue
		}
		s := &servers[e.Process]
		s.take(e)
		if !e.Kind.AssignsVariables() {
			continue
		}
		if s.term < terms[e.Process] {
			return fmt.Sprintf("seq %d: the term falls to %d", e.Seq, s.term)
		}
		terms[e.Process] = s.term
		for _, wrong := range []string{w.vote(e.Process, s), w.match(s), w.apply(s), w.lead(e.Process, s)} {
			if wrong != "" {
				return fmt.Sprintf("seq %d: process %s %s", e.Seq, s.name, wrong)
			}
		}
	}
	return ""
}

func (w *witness) vote(p tracefmt.ProcessID, s *server) string {
	key := [2]int64{int64(p), s.term}
	if before := w.votes[key]; before != 0 && s.votedFor != before {
		return fmt.Sprintf("votes for %d in term %d, and before for %d", s.votedFor, s.term, before)
	}
	w.votes[key] = s.votedFor
	return ""
}

func (w *witness) match(s *server) string {
	for i, e := range s.log {
		key := [2]int64{int64(i), e.Term}
		if before, ok := w.entries[key]; ok && !slices.Equal(before, s.log[:i+1]) {
			return fmt.Sprintf("has %v up to index %d, another server had %v", s.log[:i+1], i+1, before)
		}
		w.entries[key] = slices.Clone(s.log[:i+1])
	}
	return ""
}

func (w *witness) apply(s *server) string {
	for i := range s.commit {
		if i >= len(s.log) {
			return fmt.Sprintf("knows that %d are committed, of %d", s.commit, len(s.log))
		}
		before, ok := w.applied[i]
		if ok && before != s.log[i] {
			return fmt.Sprintf("applies %v at index %d, another server %v", s.log[i], i+1, before)
		}
		if !ok {
			w.commits++
			w.applied[i], w.inTerm[i] = s.log[i], s.term
		}
	}
	return ""
}

func (w *witness) lead(p tracefmt.ProcessID, s *server) string {
	if s.role != "leader" {
		return ""
	}
	if before := w.leaders[s.term]; before != 0 && before != p {
		return fmt.Sprintf("leads term %d, as %d does", s.term, before)
	}
	if w.leaders[s.term] == 0 {
		w.leaders[s.term] = p
		w.elections++
	}
	for i, e := range w.applied {
		if w.inTerm[i] < s.term && (i >= len(s.log) || s.log[i] != e) {
			return fmt.Sprintf("leads term %d without %v, which was committed at index %d in term %d", s.term, e, i+1, w.inTerm[i])
		}
	}
	return ""
}

// drawFaults draws a plan with faults of all sorts.
func drawFaults(t *rapid.T) string {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	id := func(label string) int { return rapid.IntRange(1, n).Draw(t, label) }
	at := func() string {
		return fmt.Sprintf("%d.%d", rapid.IntRange(0, 80).Draw(t, "at"), 5*rapid.IntRange(0, 1).Draw(t, "half"))
	}
	plan := []string{fmt.Sprintf("nodes: %d", n), "max-events: 3000"}
	list := func(key string, minimum, limit int, item func() string) {
		var items []string
		for range rapid.IntRange(minimum, limit).Draw(t, key) {
			items = append(items, fmt.Sprintf("%q", item()))
		}
		if items != nil {
			plan = append(plan, key+": ["+strings.Join(items, ", ")+"]")
		}
	}
	process := func() string { return fmt.Sprintf("%d@%s", id("process"), at()) }
	message := func() string {
		types := []string{"RequestVote", "Vote", "AppendEntries", "Appended"}
		return fmt.Sprintf("%s:%d>%d#%d", rapid.SampledFrom(types).Draw(t, "type"), id("from"), id("to"), rapid.IntRange(1, 3).Draw(t, "which"))
	}
	list("start", 2, 12, process)
	list("crash", 0, 3, process)
	list("recover", 0, 3, process)
	list("drop", 0, 4, message)
	list("slow", 0, 3, func() string { return message() + "=" + at() + "1" })
	if n > 1 && rapid.Bool().Draw(t, "partition") {
		from := rapid.IntRange(0, 40).Draw(t, "from")
		plan = append(plan, fmt.Sprintf("partition: '%s@%d-%d'", cutOff(n, id("alone")), from, from+rapid.IntRange(1, 40).Draw(t, "for")))
	}
	for _, said := range []string{"loss: 0.2", "duplicate: 0.2", "reorder: on", "delay: exponential(1)", "delay: 'uniform(0,4)'"} {
		if rapid.IntRange(0, 3).Draw(t, said) == 0 && !(strings.HasPrefix(said, "delay") && strings.Contains(strings.Join(plan, ","), "delay")) {
			plan = append(plan, said)
		}
	}
	params := rapid.SampledFrom([]string{
		"timers: off", "timers: on", "timers: on, timeout: random", "timers: on, spread: 0",
		"timers: on, timeout: 3, spread: 0.5",
	}).Draw(t, "params")
	return strings.Join(
		append(plan, "params: {"+params+"}", "until: 120", fmt.Sprintf("seed: %d", rapid.IntRange(0, 999).Draw(t, "seed"))),
		", ",
	)
}

// cutOff are the groups of a partition of n in which one is alone.
func cutOff(n, alone int) string {
	var followers []string
	for p := 1; p <= n; p++ {
		if p != alone {
			followers = append(followers, strconv.Itoa(p))
		}
	}
	return fmt.Sprintf("%d|%s", alone, strings.Join(followers, ","))
}

// TestSafe: Raft is safe whatever is lost, late, twice or dead.
func TestSafe(t *testing.T) {
	var w witness
	size.Check(t, 20, 100, 1_000, func(t *rapid.T) {
		for range 5 {
			plan := drawFaults(t)
			if wrong := w.unsafe(simulated(t, plan)); wrong != "" {
				t.Fatalf("%s: %s", plan, wrong)
			}
		}
	})
	if minimum := size.Pick(50, 100, 1_000); w.elections < minimum || w.commits < minimum {
		t.Errorf("%d elections and %d commitments in all plans, want %d or more of each", w.elections, w.commits, minimum)
	}
}

// TestMutantsAreUnsafe: the witness of TestSafe notices what it is there for.
func TestMutantsAreUnsafe(t *testing.T) {
	noticed := map[string]bool{}
	for _, a := range raft.All()[0].Mutants {
		var w witness
		if wrong := w.unsafe(simulated(t, a.Shows)); wrong != "" {
			t.Errorf("%s: the algorithm as it should be is unsafe: %s", a.Name, wrong)
		}
		noticed[a.Name] = w.unsafe(simulated(t, a.Shows+", params: {mutant: "+a.Name+"}")) != ""
	}
	// A leader without a majority is not unsafe yet.
	want := map[string]bool{
		"commits-old-terms": true, "any-log": true, "no-matching": true, "votes-twice": true, "any-term": true, "commits-first": true,
		"gives-way": true, "two-votes": false,
	}
	if diff := cmp.Diff(want, noticed); diff != "" {
		t.Errorf("noticed (-want +got):\n%s", diff)
	}
}

// TestLeadsInTheEnd: after the last fault, servers with a majority up have a leader that all follow, and they
// have its log. The leader need not know of more entries at others.
func TestLeadsInTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "n")
		var plan []string
		for _, key := range []string{"crash", "recover"} {
			var items []string
			for p := 1; p <= n; p++ {
				if key == "recover" || rapid.Bool().Draw(t, "dies") {
					items = append(items, fmt.Sprintf("%d@%d", p, map[string]int{"crash": 0, "recover": 60}[key]+rapid.IntRange(0, 40).Draw(t, "at")))
				}
			}
			plan = append(plan, key+": ["+strings.Join(items, ", ")+"]")
		}
		random := rapid.SampledFrom([]string{"random", "10"}).Draw(t, "timeout")
		text := fmt.Sprintf("nodes: %d, start: [1@20, 2@30, 1@50], partition: '%s@15-%d', %s, until: 300, seed: "+
			"%d, params: {timers: on, timeout: %s}",
			n, cutOff(n, 1), rapid.IntRange(16, 99).Draw(t, "heals"), strings.Join(plan, ", "), rapid.IntRange(0, 99).Draw(t, "seed"), random)
		m := simulated(t, text)
		last := statesAfter(m, m.Len())[1:]
		leader := slices.IndexFunc(last, func(s server) bool { return s.role == "leader" })
		for _, s := range last {
			if leader < 0 || s.term != last[leader].term || s.name != last[leader].name && s.role != "follower" || !begins(s.log, last[leader].log) {
				t.Fatalf("%s: ends with %v", text, last)
			}
		}
	})
}

func begins(log, prefix []entry) bool {
	return len(log) >= len(prefix) && slices.Equal(log[:len(prefix)], prefix)
}
