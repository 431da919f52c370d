package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// scripted is a call and a pattern that its answer matches; what the pattern has in parentheses replaces $1 in the
// arguments of the next call.
type scripted struct {
	tool      string
	arguments values
	answer    string
}

// mostCalls is how many calls answer a question.
const mostCalls = 6

// answer asks the calls of a question, the first of which may have been made before.
func (c *client) answer(question string, before int, calls []scripted) {
	c.Helper()
	c.calls = before
	var found []string
	for _, call := range calls {
		for name, value := range call.arguments {
			if text, ok := value.(string); ok && len(found) > 1 {
				call.arguments[name] = strings.ReplaceAll(text, "$1", found[1])
			}
		}
		answer := c.ask(call.tool, call.arguments)
		found = regexp.MustCompile(call.answer).FindStringSubmatch(answer)
		if found == nil {
			c.Errorf("%s %s %v: expected %s, got\n%s", question, call.tool, call.arguments, call.answer, answer)
			return
		}
	}
	if c.calls > mostCalls {
		c.Errorf("%s: %d calls, expected at most %d", question, c.calls, mostCalls)
	}
}

// inquiry is a question about a recording, and the calls that answer it.
type inquiry struct {
	question string
	calls    []scripted
}

// onRun asks about the trace of the recordings below.
func onRun(tool string, arguments values, answer string) scripted {
	if tool == "check" {
		arguments["traces"] = []any{"run.db"}
	} else {
		arguments["trace"] = "run.db"
	}
	return scripted{tool, arguments, answer}
}

// readyMaps has the logs of the ready maps.
const readyMaps = "../../tracefmt/interop/mapping/testdata/ready/"

// recordings are logs, and questions about them. The answers follow from the lines of the logs.
var recordings = []struct {
	files     []string
	questions []inquiry
}{
	{[]string{readyMaps + "etcd.m1.log", readyMaps + "etcd.m2.log"}, []inquiry{
		{"Who takes part?", []scripted{onRun("query", values{"sql": "select process from members"}, `^process\netcd.m1\netcd.m2\n$`)}},
		{"Who leads in which term?", []scripted{
			onRun("replay", values{"watch": "role"}, `etcd.m1 sets role = leader, term = 2(?s:.*)etcd.m2 sets role = leader, term = 3`),
		}},
		{"Who crashes, and how is that known?", []scripted{
			onRun("query", values{"sql": "select process from events where kind = 'crash'"}, `^process\n(etcd.m1)\n$`),
			onRun("check", values{"brief": true}, `inferred, exact time unknown: crash of process etcd.m1`),
		}},
		{"Do two lead in one term?", []scripted{
			onRun("check", values{"only": []any{"unique-leader-per-term"}}, `unique-leader-per-term +(holds-so-far|satisfied)`),
		}},
		{"Whom does the second member vote for?", []scripted{onRun("replay", values{"watch": "votedFor@etcd.m2"}, `votedFor = etcd.m1`)}},
		{"What has to be logged to decide the votes?", []scripted{
			onRun("check", values{"only": []any{"vote-once-per-term"}, "explain": true},
				`vote-once-per-term +unknown(?s:.*)log next state.votedFor of every process`),
		}},
		{"How many votes are asked for?", []scripted{onRun("stats", values{}, `MsgVote +at least 1\n`)}},
	}},
	{[]string{"../../fixtures/foreign/testdata/granted-twice.log"}, []inquiry{
		{"Is the lock safe?", []scripted{onRun("check", values{"brief": true}, `linearizability +violated`)}},
		{"Who holds the lock when it is granted again?", []scripted{onRun("check", values{"brief": true}, `process client7 held it`)}},
		{"Which lines show it?", []scripted{onRun("check", values{"brief": true}, `granted-twice.log:2, :4`)}},
		{"In which order is it asked for?", []scripted{
			onRun("replay", values{"find": "note request"}, `client7: request(?s:.*)client8: request`),
		}},
	}},
	{[]string{"../../fixtures/traces/stale-read.jsonl"}, []inquiry{
		{"Is the store linearizable?", []scripted{onRun("check", values{"brief": true}, `linearizability +violated .*key "x".*seq 17`)}},
		{"What should the read have found?", []scripted{
			onRun("check", values{"brief": true, "explain": true},
				`the get of process c, .* returns "1"; it held "2"(?s:.*)seq +(10) +a returns from put`),
			onRun("replay", values{"steps": "8..$1"}, `a invokes put\(key x, value 2\)`),
		}},
		{"Which operation fails?", []scripted{
			onRun("query", values{"sql": "select process, type, seq from events where json_extract(payload, '$.outcome') = 'fail'"},
				`\na,put,16\n$`),
		}},
		{"Which operation has no known end?", []scripted{
			onRun("replay", values{"find": "invoke@a"}, `\n(20) .*\n$`),
			onRun("replay", values{"find": "return@a"}, `\n16 .*\n$`),
		}},
		{"Which server is down at the stale read?", []scripted{
			onRun("check", values{"brief": true}, `seq 3, 5, 8, 10, (15), 17`),
			onRun("replay", values{"at": "$1"}, `\n +n1 +crashed`),
		}},
		{"What does y hold at last?", []scripted{onRun("replay", values{"find": "return get"}, `\n21 .*b returns from get\(value 78\)\n$`)}},
		{"What does it look like?", []scripted{
			onRun("render", values{"diagram": "history", "output": "history.svg"}, `^history.svg\nstale read`),
		}},
	}},
	{[]string{"testdata/token.p0.log", "testdata/token.p1.log"}, []inquiry{
		{"Are two inside at once?", []scripted{
			onRun("check", values{"only": []any{"mutual-exclusion"}}, `mutual-exclusion +(holds-so-far|satisfied)`),
		}},
		{"How often does each enter?", []scripted{
			onRun("query", values{"sql": "select process, count(*) from events where type = 'enter' group by 1 order by 1"}, `\np0,2\np1,1\n$`),
		}},
		{"In which order do they enter?", []scripted{onRun("replay", values{"find": "note enter"}, `p0: enter(?s:.*)p1: enter(?s:.*)p0: enter`)}},
		{"Which token is not received?", []scripted{
			onRun("query", values{"sql": "select sender, receiver, fate from messages where fate <> 'delivered'"}, `\np0,p1,in flight\n$`),
		}},
		{"How long is the second inside?", []scripted{
			onRun("query", values{"sql": "select (max(time) - min(time)) / 1000000 from events where process = 'p1' and kind = 'note'"}, `\n170\n$`),
		}},
		{"What happens before the second enters?", []scripted{
			onRun("replay", values{"past": "note enter@p1"}, `p0: exit(?s:.*)p0 sends TOKEN to p1(?s:.*)p1: enter\n$`),
		}},
		{"How many messages take how long?", []scripted{
			onRun("stats", values{}, `TOKEN +3\n`),
			onRun("query", values{"sql": "select max(received_at - sent_at) / 1000000 from messages"}, `\n90\n$`),
		}},
	}},
}

// TestRecordedQuestions: 25 questions about four recordings are answered in at most six calls each, of which one imports.
func TestRecordedQuestions(t *testing.T) {
	total := 0
	for _, r := range recordings {
		logs := map[string][]byte{}
		for _, file := range r.files {
			log, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			logs[filepath.Base(file)] = log
		}
		total += len(r.questions)
		t.Run(filepath.Base(r.files[0]), func(t *testing.T) {
			c := newClient(t)
			var names []any
			for _, file := range r.files {
				name := filepath.Base(file)
				if err := os.WriteFile(name, logs[name], 0o666); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			c.ask("import", values{"files": names, "output": "run.db"})
			for _, a := range r.questions {
				c.answer(a.question, 1, a.calls)
			}
		})
	}
	if want := 25; total != want {
		t.Errorf("%d questions, expected %d", total, want)
	}
}
