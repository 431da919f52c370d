package scenario

import "testing"

// Faults beyond the tolerance of an algorithm are remarked, with their consequences; tolerated faults are not.
// The limits are those of the papers: f of f, less than half, less than a third.
func TestRemarksExcess(t *testing.T) {
	for text, want := range map[string]string{
		"{algorithm: floodset, ids: 1-4, crash: '1@0.5,2@1.5'}": "2 of 4 processes crash (1,2), more than the 1 that " +
			"floodset tolerates with f=1: " +
			"processes that stay up may decide differently (Lynch, section 6.2.1: of f+1 rounds one is without a crash)",
		"{algorithm: floodset, ids: 1-4, crash: '1@0.5,2@1.5', params: {f: 2}}": "",
		"{algorithm: floodset, ids: 1-4, crash: '1@0.5,1@1.5', recover: 1@1}":   "",
		"{algorithm: floodset, ids: 1-4, params: {f: 9}}":                       "", // rounds more than it needs
		"{algorithm: floodset, ids: 1-4, down: '1,2'}":                          "", // with no value they leave nothing incomplete
		"{algorithm: paxos, ids: '10,20,30', start: 10, down: 30, crash: 20@1}": "2 of 3 processes are down at 1 " +
			"(20,30), more than the 1 that paxos tolerates, less than half: " +
			"no value is accepted by a majority until one is up (Lamport, Paxos Made Simple, section 2.2)",
		"{algorithm: paxos, ids: 1-3, start: 1, crash: '2@1,3@9', recover: 2@5}": "",
		"{algorithm: raft, ids: 1-4, start: 1, down: '3,4'}": "2 of 4 servers are down at 0 (3,4), more than the 1 " +
			"that raft tolerates, less than half: " +
			"no server is elected and nothing is committed until a majority is up (Ongaro, Ousterhout 2014, section 5.1)",
		"{algorithm: raft, ids: 1-5, start: 1, down: '3,4', crash: 5@9, until: 8}": "", // the run ends before
		"{algorithm: pbft, ids: 1-3, start: 3, silence: 1@0}": "1 of 2 replicas is Byzantine or down (1), more than " +
			"the 0 that pbft tolerates, less than a third: " +
			"correct replicas may decide differently, or none of them decides (Castro, Liskov 1999, section 3)",
		"{algorithm: pbft, ids: 1-5, start: 5, silence: 1@0, crash: '5@9'}": "", // the client is no replica
		"{algorithm: pbft, ids: 1-5, start: 5, silence: 1@0, crash: 4@9, down: 3}": "3 of 4 replicas are Byzantine or " +
			"down (1,3,4), more than the 1 that pbft tolerates, less than a third: " +
			"correct replicas may decide differently, or none of them decides (Castro, Liskov 1999, section 3)",
		"{algorithm: bracha, ids: 1-4, start: 1, params: {f: 2}}": "f=2 is more than the 1 of 4 processes that bracha " +
			"can tolerate, less than a third: " +
			"correct processes may deliver nothing or, with quorum=n-f, different messages (Bracha 1987, section 3)",
		"{algorithm: reliable-broadcast, ids: 1-3, start: 1, crash: '1@1,2@1,3@2'}": "", // it tolerates any number of crashes
		"{algorithm: dijkstra-scholten, ids: 1-6, start: 1, crash: 3@2}": "1 of 6 processes is down at 2 (3), and " +
			"dijkstra-scholten tolerates none: " +
			"a message to it is not answered any more, and the end may never be announced (by the rules: the root waits " +
			"until each message is answered)",
		"{algorithm: bracha, ids: 1-7, start: 1, silence: 3@0, params: {f: 1}}":             "",
		"{algorithm: two-phase-commit, ids: 1-3, start: 1, crash: 2@1.5}":                   "",
		"{algorithm: total-order-broadcast, ids: 1-3, start: 2, crash: 3@9}":                "",
		"{algorithm: central-mutex, ids: 1-3, start: 2, down: 1, params: {coordinator: 3}}": "",
		"{algorithm: two-phase-commit, ids: 1-3, start: 1, crash: 1@1.5, params: {timeout: 1}}": "the coordinator is " +
			"down at 1.5 (1), which two-phase-commit does not tolerate: " +
			"a participant that has voted yes and does not know the decision may wait until the coordinator is back " +
			"(Skeen 1981: two-phase commit blocks)",
		"{algorithm: total-order-broadcast, ids: 1-3, start: 2, crash: 3@9, params: {variant: isis}}": "1 of 3 processes " +
			"is down at 9 (3), and total-order-broadcast tolerates none: " +
			"a process that broadcasts may wait forever for a proposal, and so may all messages after it " +
			"(by the rules: there is no view of the group)",
	} {
		checkRemarks(t, text, mustParse(t, text), want)
	}
}
