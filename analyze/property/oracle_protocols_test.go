package property_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// law is how the oracle decides a property of mutual exclusion, Raft, consensus or broadcast.
type law struct {
	quantify func(oracle) (wrong, examined int)
	// applies reports whether the property is about a run.
	applies  func(oracle) bool
	liveness bool
	// open reports whether a run without a violation records too little; nil for
	// none.
	open func(oracle) bool
}

var laws = map[string]law{
	"mutual-exclusion":       {ofEachLock(oracle.exclusion), orNone(tracefmt.Mutex, notes("enter", "exit")), false, nil},
	"no-starvation":          {ofEachLock(oracle.starvation), orNone(tracefmt.Mutex, notes("request")), true, nil},
	"bounded-bypass(1)":      {ofEachLock(oracle.bypass), orNone(tracefmt.Mutex, notes("request")), false, nil},
	"request-order-fairness": {ofEachLock(oracle.requestOrder), orNone(tracefmt.Mutex, notes("request")), false, nil},
	"consensus-agreement":    {oracle.consensusAgreement, orNone(tracefmt.Consensus, variables("decided")), false, nil},
	"consensus-integrity":    {oracle.consensusIntegrity, orNone(tracefmt.Consensus, variables("decided")), false, nil},
	"consensus-validity":     {oracle.consensusValidity, orNone(tracefmt.Consensus, variables("decided", "proposed")), false, nil},
	"consensus-termination": {
		oracle.consensusTermination, orNone(tracefmt.Consensus, variables("proposed")),
		true, oracle.consensusTerminationOpen,
	},
	"commit-agreement": {oracle.commitAgreement, orNone(tracefmt.Commit, variables("decided")), false, nil},
	"commit-all-yes": {
		oracle.commitAllYes, orNone(tracefmt.Commit, variables("decided", "vote")), false,
		oracle.commitAllYesOpen,
	},
	"commit-abort-cause":      {oracle.commitAbortCause, orNone(tracefmt.Commit, variables("decided")), false, nil},
	"commit-termination":      {oracle.commitTermination, orNone(tracefmt.Commit, variables("vote")), true, oracle.commitTerminationOpen},
	"announcement-not-early":  {oracle.announcedEarly, orNone(tracefmt.Termination, oracle.computes), false, nil},
	"announcement-in-the-end": {oracle.announcedInTheEnd, orNone(tracefmt.Termination, oracle.computes), true, nil},
	"wave-covers":             {oracle.waveCovers, orNone(tracefmt.Wave, oracle.waves), false, oracle.waveCoversOpen},
	"snapshot-consistent":     {oracle.snapshotConsistent, orNone(tracefmt.Snapshot, oracle.snapshots), false, nil},
	"snapshot-complete":       {oracle.snapshotComplete, orNone(tracefmt.Snapshot, oracle.snapshots), true, oracle.snapshotCompleteOpen},
	"sum-preserved":           {oracle.sumPreserved, oracle.sumsOrNone, false, nil},
	"token-unique":            {oracle.tokenUnique, oracle.recordsTokenOrNone, false, nil},
	"broadcast-uniform-agreement": {
		oracle.broadcastUniformAgreement, orNone(tracefmt.Broadcast, oracle.broadcasts),
		true, oracle.broadcastUniformAgreementOpen,
	},
	"broadcast-validity":       {oracle.broadcastValidity, orNone(tracefmt.Broadcast, oracle.broadcasts), true, nil},
	"broadcast-no-duplication": {oracle.broadcastDuplication, orNone(tracefmt.Broadcast, oracle.broadcasts), false, nil},
	"broadcast-no-creation":    {oracle.broadcastCreation, orNone(tracefmt.Broadcast, oracle.broadcasts), false, nil},
	"broadcast-agreement": {
		oracle.broadcastAgreement, orNone(tracefmt.Broadcast, oracle.broadcasts), true,
		oracle.broadcastAgreementOpen,
	},
	"broadcast-fifo-order":      {oracle.broadcastFIFO, orNone(tracefmt.Broadcast, oracle.broadcasts), false, nil},
	"broadcast-causal-order":    {oracle.broadcastCausal, orNone(tracefmt.Broadcast, oracle.broadcasts), false, nil},
	"broadcast-total-order":     {oracle.broadcastTotal, orNone(tracefmt.Broadcast, oracle.broadcasts), false, nil},
	"raft-leader-append-only":   {oracle.appendOnly, replicated("log", "role"), false, nil},
	"raft-log-matching":         {oracle.logMatching, replicated("log"), false, nil},
	"raft-state-machine-safety": {oracle.stateMachine, replicated("log", "commit"), false, nil},
	"raft-leader-completeness":  {oracle.completeness, replicated("log", "role", "commit"), false, oracle.completenessOpen},
	"named-leader-per-term":     {oracle.namedLeader, oracle.recordsNames, false, nil},
	"unique-leader-per-term":    {oracle.uniqueLeader, oracle.recordsLeaders, false, oracle.uniqueLeaderOpen},
	"elected-has-seen-most":     {oracle.electedLess, oracle.recordsSeen, false, oracle.seenUnknown},
	"leader-has-quorum":         {oracle.quorum, oracle.recordsVotes, false, oracle.quorumOpen},
	"linearizability":           {oracle.linearizable, oracle.invokes, false, nil},
}

// orNone reports whether a run has such events, or is a complete run of the problem without them.
func orNone(problem string, applies func(oracle) bool) func(oracle) bool {
	return func(o oracle) bool { return applies(o) || o.run.Problem == problem }
}

// sumsOrNone is orNone of sums: a snapshot without amounts is not about them.
func (o oracle) sumsOrNone() bool {
	return o.sums() || o.run.Problem == tracefmt.Snapshot && !o.snapshots()
}

// recordsTokenOrNone is orNone of tokens: a run is about one if its header lists the messages that carry it.
func (o oracle) recordsTokenOrNone() bool {
	return o.recordsToken() || o.run.Problem == tracefmt.Mutex && len(o.run.Token) > 0
}

func (l law) judge(o oracle) judgement {
	wrong, examined := l.quantify(o)
	switch {
	case !l.applies(o):
		return judgement{analyze.NotApplicable, 0}
	case l.open != nil && l.open(o):
		return judgement{analyze.Unknown, 0}
	case l.liveness && wrong > 0 && !o.quiescent():
		return judgement{analyze.Pending, 0}
	}
	return o.verdict(wrong, examined)
}

// draws are the problems, how their runs are drawn, and the properties that
// these are examined for.
var draws = []struct {
	problem, states string // states is that of the header, "" for none
	draw            func(*rapid.T, *drawing)
	names           []string
}{
	{"mutex", tracefmt.Mutex, drawMutex, []string{"mutual-exclusion", "no-starvation", "bounded-bypass(1)", "request-order-fairness"}},
	{"consensus", tracefmt.Consensus, drawConsensus, prefixed("consensus-")},
	{"broadcast", tracefmt.Broadcast, drawBroadcast, prefixed("broadcast-")},
	{"commit", tracefmt.Commit, drawCommit, prefixed("commit-")},
	{"termination", tracefmt.Termination, drawTermination, prefixed("announcement-")},
	{"wave", tracefmt.Wave, drawWave, []string{"wave-covers"}},
	{"snapshot", tracefmt.Snapshot, drawSnapshot, []string{"snapshot-complete", "snapshot-consistent", "sum-preserved"}},
	{"token", tracefmt.Mutex, drawToken, []string{"token-unique"}},
	{"raft", "", drawRaft, prefixed("raft-")},
	{"votes", "", drawVotes, []string{"named-leader-per-term", "unique-leader-per-term", "leader-has-quorum"}},
	{"seen", "", drawSeen, []string{"elected-has-seen-most"}},
	{"history", "", drawHistory, []string{"linearizability"}},
	{"register", "", drawDistinct, []string{"linearizability"}},
}

func TestProtocolOracle(t *testing.T) {
	for _, test := range draws {
		t.Run(test.problem, func(t *testing.T) {
			drawn := verdicts{}
			size.Check(t, 40, 300, 4_000, func(t *rapid.T) {
				m := drawProtocol(t, test.draw)
				if rapid.Bool().Draw(t, "states its problem") {
					m.Run().Problem = test.states
				}
				for _, r := range check(t, m, true, test.names...).Results {
					againstLaw(t, oracle{m.Run(), events(m)}, r)
					drawn.add(r)
				}
			})
			for _, name := range test.names {
				expected := []analyze.Verdict{analyze.Violated, analyze.Satisfied, analyze.Vacuous, analyze.NotApplicable}
				if laws[name].open != nil {
					expected = append(expected, analyze.Unknown)
				}
				drawn.expect(t, name, expected...)
			}
		})
	}
}

func againstLaw(t *rapid.T, o oracle, r *analyze.Result) {
	got, want := judgement{r.Verdict, r.Violations}, laws[r.Property.Name].judge(o)
	if got != want {
		t.Fatalf("%s: got %v (%s), the oracle says %v", r.Property.Name, got, r.Explanation, want)
	}
	if r.Property.Name == "linearizability" && want.verdict == analyze.Violated && !o.showsFirstWrong(r.Witness) {
		t.Fatalf("%s: the witness is %v, the oracle says %v", r.Property.Name, r.Witness, o.wrongEnds()[0])
	}
}

// TestProtocolPrefixed: notes before a run change nothing but the seqs.
func TestProtocolPrefixed(t *testing.T) {
	for _, test := range draws {
		t.Run(test.problem, rapid.MakeCheck(func(t *rapid.T) {
			m := drawProtocol(t, test.draw)
			n := tracefmt.Seq(rapid.IntRange(1, 200).Draw(t, "notes"))
			prefixed := retell(m, m.Run().Members, int(n), func(e *tracefmt.Event) {
				if e.Seq += n; e.Cause > 0 {
					e.Cause += n
				}
			})
			alone := check(t, m, true, test.names...).Results
			for i, r := range check(t, prefixed, true, test.names...).Results {
				want := finding{alone[i].Verdict, alone[i].Violations, alone[i].Witness}
				for j := range want.Witness {
					want.Witness[j] += n
				}
				if diff := cmp.Diff(want, finding{r.Verdict, r.Violations, r.Witness}); diff != "" {
					t.Fatalf("%s (-want +prefixed by %d notes)\n%s", r.Property.Name, n, diff)
				}
			}
		}))
	}
}

func prefixed(prefix string) (names []string) {
	for name := range laws {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// notes and variables report whether a run has such notes, or each such variable.
func notes(labels ...string) func(oracle) bool {
	return func(o oracle) bool {
		return slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
			return e.Kind == tracefmt.Note && slices.Contains(labels, e.Type) && (e.Type != "request" || o.live(e.Process, int(e.Seq)))
		})
	}
}

func variables(names ...string) func(oracle) bool {
	return func(o oracle) bool {
		for _, name := range names {
			if !slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
				return slices.ContainsFunc(slices.Collect(maps.Keys(o.assignments(int(e.Seq)-1))), func(v string) bool {
					return v == name || strings.HasPrefix(v, name+"[")
				})
			}) {
				return false
			}
		}
		return true
	}
}

// assignments are the variables that the event at k names.
func (o oracle) assignments(k int) map[string]string {
	switch e := o.events[k]; e.Kind {
	case tracefmt.Start, tracefmt.State, tracefmt.Recover:
		return fieldsOf(e.Payload)
	}
	return nil
}

// parsed are the fields of payloads: oracles ask for the same ones again and again, and few different ones are drawn.
var parsed = map[string]map[string]string{}

func fieldsOf(payload []byte) map[string]string {
	list, ok := parsed[string(payload)]
	if !ok {
		list = map[string]string{}
		for name, value := range tracefmt.Fields(payload) {
			list[string(name)] = string(value)
		}
		parsed[string(payload)] = list
	}
	return list
}

// variablesOf are the variables of p after the first k events.
func (o oracle) variablesOf(p tracefmt.ProcessID, k int) map[string]string {
	list := map[string]string{}
	for i, e := range o.events[:k] {
		if e.Process != p {
			continue
		}
		if o.nextLife(i) {
			clear(list)
		}
		if o.comesUp(i) {
			delete(list, "elected")
			delete(list, "role")
		}
		maps.Copy(list, o.assignments(i))
	}
	maps.DeleteFunc(list, func(_, value string) bool { return value == "null" })
	return list
}

// aside reports whether p does not take part.
func (o oracle) aside(p tracefmt.ProcessID) bool {
	return slices.Contains([]string{`"client"`, `"observer"`, `"byzantine"`}, o.attribute(p, "role"))
}

// correct are the processes that take part and never crash or halt. speaks reports whether an event shows
// participation.
func (o oracle) correct(speaks func(k int) bool) []tracefmt.ProcessID {
	return slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		says := o.attribute(p, "role") != "" || o.run.Source == tracefmt.Simulated
		for k, e := range o.events {
			says = says || e.Process == p && speaks(k)
		}
		return !says || o.aside(p) || slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
			return e.Process == p && (e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt)
		})
	})
}

// possiblyCorrect reports whether nothing is wrong as far as is known, and some process may be correct all the same
// that is not taken for one that is: without a role, it acts, but does not speak.
func (o oracle) possiblyCorrect(wrong int, speaks func(k int) bool) bool {
	correct := o.correct(speaks)
	return wrong == 0 && slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		failed := slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
			return e.Process == p && (e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt)
		})
		return o.acts(p) && !failed && !o.aside(p) && !slices.Contains(correct, p)
	})
}

// acts reports whether a process does more than to send, to receive and to invoke.
func (o oracle) acts(p tracefmt.ProcessID) bool {
	rivals := []tracefmt.Kind{tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Invoke, tracefmt.Return, tracefmt.Crash, tracefmt.Halt}
	return slices.ContainsFunc(o.events, func(e tracefmt.Event) bool { return e.Process == p && !slices.Contains(rivals, e.Kind) })
}
