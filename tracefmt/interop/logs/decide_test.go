package logs_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"
	"etrace/tracefmt"
)

// decisionsOf are the votes, proposals and decisions of the runs in a log, as it is read by the mapping guessed from it.
func decisionsOf(t *testing.T, log string) string {
	t.Helper()
	m := readings.Guess(t, []string{"x.log", log})
	if strings.Contains(m, "nothing is understood") || !strings.Contains(m, "run: {problem: co") {
		return "none"
	}
	runs, _ := readings.ReadRuns(t, m, "x.log", log)
	var claims []string
	for _, run := range runs {
		for e := range run.Events(1) {
			for key, value := range tracefmt.Fields(e.Payload) {
				if name := string(key); name == "vote" || name == "proposed" || name == "decided" {
					claims = append(claims, strings.TrimSpace(run.Run().Name+" "+name+"="+strings.Trim(string(value), `"`)))
				}
			}
		}
	}
	return strings.Join(claims, ", ")
}

// TestCommitWords: votes and decisions of two transactions are read in many wordings, and each transaction is a run.
func TestCommitWords(t *testing.T) {
	for _, words := range [][3]string{
		{"tx %d: voting yes", "tx %d: voting no", "tx %d: aborted"},
		{"[tx=%d] vote: YES", "[tx=%d] vote: NO", "[tx=%d] decision: ABORT"},
		{"votes commit for transaction %d", "votes abort for transaction %d", "aborts transaction %d"},
		{"voted yes txid=%d", "voted no txid=%d", "decided abort txid=%d"},
		{"transaction %d prepared to commit", "transaction %d: cannot commit", "transaction %d: global abort"},
	} {
		var log strings.Builder
		for i, line := range []string{
			"a1: " + fmt.Sprintf(words[0], 7), "a1: " + fmt.Sprintf(words[0], 8), "a2: " + fmt.Sprintf(words[1], 7),
			"a2: " + fmt.Sprintf(words[0], 8), "a1: " + fmt.Sprintf(words[2], 7), "a2: " + fmt.Sprintf(words[2], 7),
		} {
			fmt.Fprintf(&log, "10:00:0%d.000 %s\n", i, line)
		}
		want := "7 vote=yes, 7 vote=no, 7 decided=abort, 7 decided=abort, 8 vote=yes, 8 vote=yes"
		if got := decisionsOf(t, log.String()); got != want {
			t.Errorf("got %s, want %s in\n%s", got, want, log.String())
		}
	}
}

// TestCoordinator: who asks for votes, or is called so, is the coordinator of a commitment.
func TestCoordinator(t *testing.T) {
	for _, tt := range []struct{ name, asks, want string }{
		{"coord", "begins", "coord"},
		{"TM", "begins", "TM"},
		{"x1", "sending PREPARE to a1", "x1"},
		{"x1", "sent VOTE_REQ to a2", "x1"},
		{"x1", "asking a1 and a2: can commit", "x1"},
		{"x1", "begins", ""},
		{"x1", "not sending PREPARE to a1", ""},
		{"x1", "sending PREPARE_OK to a1", ""},
		{"a1", "began", ""},
	} {
		m := readings.Guess(t, []string{"x.log", fmt.Sprintf("%s: tx 7 %s\na1: tx 7 voted yes\na2: tx 7 voted yes\n%[1]s: tx 7 decided commit\n"+
			"a1: tx 7 committed\na2: tx 7 committed\n", tt.name, tt.asks)})
		if strings.Contains(m, "roles: {") != (tt.want != "") || !strings.Contains(m, "roles: {"+tt.want) && tt.want != "" {
			t.Errorf("%s %s: expected the coordinator %q in\n%s", tt.name, tt.asks, tt.want, m)
		}
	}
}

// TestConsensusWords: proposals and decisions are read in many wordings. A decision to do something has no value.
func TestConsensusWords(t *testing.T) {
	for words, want := range map[[2]string]string{
		{"proposing %s", "decided %s"}:                      "proposed=red, proposed=blue, decided=blue, decided=blue",
		{"proposes value %s", "has decided on value %s"}:    "proposed=red, proposed=blue, decided=blue, decided=blue",
		{"proposed %s in slot 3", "decided %s in slot 3"}:   "3 proposed=red, 3 proposed=blue, 3 decided=blue, 3 decided=blue",
		{"proposed: %s", "decision: %s"}:                    "proposed=red, proposed=blue, decided=blue, decided=blue",
		{"proposing %s", "decided to shut down %s"}:         "none",
		{"proposing %s", "not decided %s"}:                  "none",
		{"proposal %s was rejected", "decided %s is wrong"}: "none",
	} {
		log := "a1: " + fmt.Sprintf(words[0], "red") + "\na2: " + fmt.Sprintf(words[0], "blue") + "\na1: " + fmt.Sprintf(words[1], "blue") +
			"\na2: " + fmt.Sprintf(words[1], "blue") + "\n"
		if got := decisionsOf(t, log); got != want {
			t.Errorf("got %s, want %s in\n%s", got, want, log)
		}
	}
}

// TestCommittedEntries: that entries of a log are committed is no decision on a transaction.
func TestCommittedEntries(t *testing.T) {
	log := "a1: became leader in term 2\na2: vote ok\na1: committed entry 7\na2: committed index 7\na1: became follower in term 3\n"
	if m := readings.Guess(t, []string{"x.log", log}); strings.Contains(m, "decided") || !strings.Contains(m, "problem: raft") {
		t.Error(m)
	}
}
