package logs

import "testing"

// sentences are lines of programs, written by n2, and what they claim: of whom, and what.
var sentences = []struct{ line, want string }{
	// The subject is the writer.
	{"became leader", "n2 takes leader"},
	{"becoming leader at term 4", "n2 takes leader"},
	{"became leader with 3 votes", "n2 takes leader"},
	{"I am the coordinator", "n2 takes coordinator"},
	{"I am now the leader of term 3", "n2 takes leader"},
	{"we are leader now", "n2 takes leader"},
	{"n2 has become leader of term 4", "n2 takes leader"},
	{"server n2 is now the leader", "n2 takes leader"},
	{"this node was elected as leader", "n2 takes leader"},
	{"entering leader state", "n2 takes leader"},
	{"Node at n2 [Leader] entering Leader state in term 8", "n2 takes Leader"},
	{"won the election in term 3", "n2 takes -"},
	{"election won: becoming leader", "n2 takes leader"},
	{"election timeout reached, becoming candidate", "n2 takes candidate"},
	{"timer expired becoming candidate", "n2 takes candidate"},
	{"converting from candidate to follower", "n2 takes follower"},
	{"state changed from follower to candidate", "n2 takes candidate"},
	{"state changed: follower -> leader", "n2 takes leader"},
	{"transition to leader", "n2 takes leader"},
	{"Candidate in epoch 49", "n2 takes Candidate"},
	{"leader of term 7", "n2 takes leader"},
	{"new role=leader term=3", "n2 takes leader"},
	{"stepping down", "n2 steps down"},
	{"leadership acquired, term=1", "n2 takes -"},
	{"stepped down, higher term 9", "n2 steps down"},
	{"voted for n1 in term 2", "n2 votes n1"},
	{"granting vote to n3", "n2 votes n3"},
	{"vote granted to n1", "n2 votes n1"},
	{"n2 declares itself leader", "n2 takes leader"},
	{"starting election round 2", "n2 stands"},
	{"following leader", "n2 steps down"},
	{"following in term 3", "n2 takes following"},
	{"vote for n1 in term 2", "n2 votes n1"},
	{"term 3: I vote for n1", "n2 votes n1"},
	{"running for election, term 2", "n2 stands"},
	{"no heartbeat from leader, campaigning in term 2", "n2 stands"},
	{"higher term 4 seen, follower now", "n2 takes follower"},
	{"no longer leader, term 3", "n2 steps down"},
	{"I am no longer the leader", "n2 steps down"},
	{"became_leader", "n2 takes leader"},
	{"BecameFollower", "n2 takes Follower"},
	{"become(leader)", "n2 takes leader"},
	{"stepped_down term=3", "n2 steps down"},
	{"vote-granted candidate=n1", "n2 votes n1"},
	{"lost leadership", "n2 steps down"},
	{"leadership lost", "n2 steps down"},
	{"n1 lost leadership", "n1 steps down"},
	{"gave up the leadership", "n2 steps down"},
	{"resigned as leader", "n2 steps down"},
	{"resigned", "n2 steps down"},
	{"stopped being the leader", "n2 steps down"},
	{"demoted", "n2 steps down"},
	{"demoted by n1", "n2 steps down"},
	{"released leader lock", "n2 steps down"},
	{"started leading", "n2 takes -"},
	{"serving as leader for term 3", "n2 takes leader"},
	{"taking over as primary", "n2 takes primary"},
	{"n1 reports state=leader", "n1 takes leader"},
	// Another process is the subject.
	{"n1 has become leader of term 4", "n1 takes leader"},
	{"alpha INFO became leader term=1", ""},
	{"peer n3 became leader", "n3 takes leader"},
	{"member n1 is now in state LEADER", "n1 takes LEADER"},
	{"n3 is the new leader", "n3 takes leader"},
	{"10.0.0.7:7000 became leader", "10.0.0.7:7000 takes leader"},
	{"n1 voted for n3", "n1 votes n3"},
	// The writer follows somebody.
	{"connected to leader n1 at term 50", "n2 elected n1"},
	{"new leader: n3", "n2 elected n3"},
	{"leader is n3", "n2 elected n3"},
	{"leader changed to n3", "n2 elected n3"},
	{"following n1", "n2 follows n1"},
	{"elected leader n1 at term 3", "n2 elected n1"},
	{"leader of term 3 is n1", "n2 elected n1"},
	{"Leader for term 2: n3", "n2 elected n3"},
	{"acknowledging n3 as leader for term 2", "n2 elected n3"},
	{"accepted n1 as the new leader", "n2 elected n1"},
	{"n3 is no longer leader", "n3 steps down"},
	{"no action. I am (n2), the leader with the lock", "n2 takes leader"},
	{"I am n2, a secondary", "n2 takes secondary"},
	{"=== LEADER (term 5) ===", "n2 takes LEADER"},
	{"RaftServer{0-part-1} - Voted for 1", "n2 votes 1"},
	{"store@n2 - became leader in term 4", "n2 takes leader"},
	{"no action. I am (n2), a secondary, and following a leader (n3)", "n2 follows n3"},
	// The name of an event, a count and a label name no leader.
	{"+sdown master n1", ""},
	{"-odown master n1 10.0.0.1 6379", ""},
	{"witness last saw primary node 1 second(s) ago", ""},
	{"Notification: 4 (n.leader), 16 (n.round), LEADING (n.state), 4 (n.sid)", ""},
	// No fact.
	{"request vote for n1", ""},
	{"received vote for n2 from n3", ""},
	{"waiting for a vote for n1", ""},
	{"leader of shard 7 is unknown", ""},
	{"not_leader", ""},
	{"rejected n1 as leader", ""},
	{"election failed, did not become leader", ""},
	{"Insufficient votes to become leader, rejected by n1 and n3", ""},
	{"Read failed: no leader at term 49, go to leader later", ""},
	{"failover auth denied to n1: its master is up", ""},
	{"not voted for n3, log too short", ""},
	{"did not vote for n3", ""},
	{"waiting to become leader", ""},
	{"will become leader soon", ""},
	{"cannot become leader without quorum", ""},
	{"another node became leader", ""},
	{"they are the leader now", ""},
	{"if elected leader we announce it", ""},
	{"may lose leadership", ""},
	{"leadership of n1 was revoked", ""},
	{"leadership lost by n1", ""},
	{"failed to release leadership", ""},
	{"lost leader", ""},
	{"demoted n1", ""},
	{"stopped the leader election timer", ""},
	{"votes of a majority received", ""},
	{"view from n1: role=leader", ""},
	{"stopped following", ""},
	{"leadership was taken by n3", ""},
	{"leader lease expired", ""},
	{"became leader of queue 7", ""},
	{"became leader of shard 7", "n2 takes leader"},
	{"leader changed from none to n1 in term 3", "n2 elected n1"},
	{"leader changed from n3 to n1", "n2 elected n1"},
	{"starting to lead term 3", "n2 takes -"},
	{"votedFor=n1 term=3", "n2 votes n1"},
	{"peer=n3 votedFor=n1 term=3", ""},
	{"shard s1 became leader", "n2 takes leader"},
	{"shard=orders became leader", "n2 takes leader"},
	{"master node changed {previous [], current [n3]}", ""},
	{"leader election started", ""},
	{"refusing to vote for n1", ""},
	{"asked n1 to vote", ""},
	{"vote granted by n3", ""},
	{"no vote for n1", ""},
	{"should I be leader?", ""},
	{"Forwarding request to leader", ""},
	{"heartbeat from leader", ""},
}

// TestSentences: who is the subject of a sentence, and whether it states a fact.
func TestSentences(t *testing.T) {
	r := &roles{names: map[string]bool{"n1": true, "n2": true, "n3": true}}
	for _, s := range sentences {
		k := newSort(&sampled{fields: map[string]string{"msg": s.line}}, "msg", r)
		if got := claimText(k); got != s.want {
			t.Errorf("%q claims %q, want %q", s.line, got, s.want)
		}
	}
}

func claimText(k *sort) string {
	word := func(i int) string {
		switch i {
		case ownSubject:
			return "n2"
		case impliedObject:
			return "-"
		}
		return k.tokens[i].core
	}
	switch k.said.kind {
	case takesRole:
		return word(k.said.subject) + " takes " + word(k.said.object)
	case electedIs:
		return "n2 elected " + word(k.said.object)
	case follows:
		return "n2 follows " + word(k.said.object)
	case votesFor:
		return word(k.said.subject) + " votes " + word(k.said.object)
	case stepsDown:
		return word(k.said.subject) + " steps down"
	case isCandidate:
		return word(k.said.subject) + " stands"
	}
	return ""
}
