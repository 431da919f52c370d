package replay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// election is a run of processes ann, bob and "to" (a name that needs quotes).
func election(t testing.TB) *tracefmt.Memory {
	t.Helper()
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for _, name := range []string{"ann", "bob", "to", "7"} {
		run.Members = append(run.Members, tracefmt.Member{Name: name})
	}
	mem := tracefmt.NewMemory(run)
	for i, e := range []tracefmt.Event{
		/* 1 */ start(1, `{"elected":null,"role":"follower"}`),
		/* 2 */ start(2, `{"elected":"ann"}`),
		/* 3 */ {Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "VOTE"},
		/* 4 */ {Kind: tracefmt.Send, Process: 1, Peer: 3, Message: 2, Type: "GIVE WAY"},
		/* 5 */ {Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: 1, Cause: 3, Type: "VOTE"},
		/* 6 */ state(2, `{"elected":"bob"}`),
		/* 7 */ {Kind: tracefmt.SetTimer, Process: 1, Type: "answer"},
		/* 8 */ event(tracefmt.Crash, 2),
		/* 9 */ {Kind: tracefmt.Lose, Process: 3, Peer: 1, Message: 2, Cause: 4, Type: "GIVE WAY"},
		/* 10 */ {Kind: tracefmt.Recover, Process: 2, Payload: []byte(`{"elected":null,"role":"follower"}`)},
		/* 11 */ state(1, `{"elected":7}`),
		/* 12 */ state(1, `{"elected":null}`),
		/* 13 */ event(tracefmt.Heal, 0),
	} {
		e.Seq, e.Time = tracefmt.Seq(i+1), tracefmt.Time(i)*tracefmt.Unit/2
		if err := mem.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	mem.Finish(tracefmt.Stopped)
	return mem
}

func TestPattern(t *testing.T) {
	mem := election(t)
	for _, tt := range []struct {
		text string
		want []tracefmt.Seq
	}{
		{"crash", []tracefmt.Seq{8}},
		{"crash@bob", []tracefmt.Seq{8}},
		{"crash @ ann", nil},
		{"receive VOTE", []tracefmt.Seq{5}},
		{"send VOTE@ann to bob", []tracefmt.Seq{3}},
		{"send to bob", []tracefmt.Seq{3}},
		{"receive from ann", []tracefmt.Seq{5}},
		{`send "GIVE WAY"`, []tracefmt.Seq{4}},
		{`lose @"to"`, []tracefmt.Seq{9}},
		{`* "GIVE WAY"`, []tracefmt.Seq{4, 9}},
		{"* @bob", []tracefmt.Seq{2, 5, 6, 8, 10}},
		{"set-timer answer", []tracefmt.Seq{7}},
		{"heal", []tracefmt.Seq{13}},
		{"state", []tracefmt.Seq{6, 11, 12}},
		{"state elected", []tracefmt.Seq{2, 6, 11, 12}},
		{"state role", []tracefmt.Seq{1, 10}},
		{"state elected=bob", []tracefmt.Seq{6}},
		{"state elected = 7 @ann", []tracefmt.Seq{11}},
		{"state elected=none", []tracefmt.Seq{12}},
		{"state elected=null", []tracefmt.Seq{12}},
		{`state role="follower"@bob`, []tracefmt.Seq{10}},
	} {
		p, err := replay.ParsePattern(tt.text, mem.Run())
		if err != nil {
			t.Error(err)
			continue
		}
		for seq := tracefmt.Seq(1); int(seq) <= mem.Len(); seq++ {
			if got, want := p.Match(mem.At(seq)), slices.Contains(tt.want, seq); got != want {
				t.Errorf("%s at %d: %v, want %v", tt.text, seq, got, want)
			}
		}
	}
}

func TestPatternErrors(t *testing.T) {
	run := election(t).Run()
	for text, want := range map[string]string{
		"":                     `expected KIND`,
		"recieve VOTE":         `pattern "recieve VOTE": unknown event kind "recieve", did you mean "receive"?`,
		"VOTE":                 `unknown event kind "VOTE"`,
		"crash@bib":            `unknown process "bib", did you mean "bob"? (known: ann, bob, to, 7)`,
		"crash 7":              `a crash has no type; a process is written @7`,
		"heal@bob":             `a heal is of no process`,
		"crash of ann":         `a crash has no peer`,
		"send VOTE OK":         `"OK" is one name too many, expected KIND [NAME[=VALUE]]`,
		"send VOTE=1":          `only variables have values, as in state elected=6`,
		"state =6":             `no variable before =`,
		"state elected=":       `nothing follows =`,
		"send VOTE to":         `nothing follows to`,
		`send "VOTE`:           `the text that begins with "VOTE is not closed`,
		"send \x1b[31m@nobody": `\u001b`,
	} {
		_, err := replay.ParsePattern(text, run)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestPosition(t *testing.T) {
	mem := election(t)
	for text, want := range map[string]tracefmt.Seq{
		"0": 0, "7": 7, "end": 13, "t=-1": 0, "t=0": 1, "t=0.7": 2, "t=2.5": 6, "t=99": 13, "crash": 8, " state elected@ann ": 11,
	} {
		c := replay.NewCursor(mem)
		position, err := replay.ParsePosition(text, mem.Run())
		if err == nil {
			err = c.Go(position)
		}
		if err != nil || c.Seq() != want {
			t.Errorf("%q goes to %d, %v, want %d", text, c.Seq(), err, want)
		}
	}
	for text, want := range map[string]string{
		"": "expected SEQ, t=TIME, end, or a pattern", "t=soon": "not a time", "14": "there is no event 14",
		"-1": "there is no event -1", "timeout": "no event matches", "end of": `unknown event kind "end"`,
		"2.5": "expected t=2.5 for a time", "5..7": "expected SEQ, t=TIME, end, or a pattern",
	} {
		position, err := replay.ParsePosition(text, mem.Run())
		if err == nil {
			err = replay.NewCursor(mem).Go(position)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestMisspelt: a name that no event of the run has is answered with the nearest name of some event, a
// variable with a variable.
func TestMisspelt(t *testing.T) {
	mem := election(t)
	for text, want := range map[string]string{
		"crash":           "",
		"send VOTE":       "",
		"receive answer":  "", // of the timer: that it is no message is not a slip of the pen
		"send VOET":       `unknown type "VOET", did you mean "VOTE"? (known: GIVE WAY, VOTE, answer)`,
		"set-timer anser": `unknown type "anser", did you mean "answer"? (known: GIVE WAY, VOTE, answer)`,
		"state role":      "",
		"state elect":     `unknown variable "elect", did you mean "elected"? (known: elected, role)`,
		"state timeouts":  `unknown variable "timeouts" (known: elected, role)`,
	} {
		p, err := replay.ParsePattern(text, mem.Run())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := replay.Misspelt(mem, p); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestMisspeltInBareRuns: a run without names has no nearest one. A run that cannot be read gives no answer
// about names.
func TestMisspeltInBareRuns(t *testing.T) {
	bare := tracefmt.NewMemory(*newRun(1))
	crash := event(tracefmt.Crash, 1)
	crash.Seq = 1
	if err := bare.Write(&crash); err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]*replay.Pattern{
		"the run has no types":     {Kind: tracefmt.Send, Name: "A"},
		"the run has no variables": {Kind: tracefmt.State, Name: "a"},
	} {
		if err := replay.Misspelt(bare, p); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := replay.Misspelt(failing{bare, &crash.Seq}, p); !errors.Is(err, errBroken) {
			t.Errorf("%v, want the error of reading", err)
		}
	}
}

// TestFind: the next and the previous match are those of looking at every
// event in turn.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := tracefmt.NewMemory(*newRun(1))
		n := rapid.IntRange(0, 3000).Draw(t, "events") // more than the first stretch that is searched
		rare := rapid.IntRange(1, 2000).Draw(t, "rare")
		for i := range n {
			kind := tracefmt.Note
			if (i+1)%rare == 0 {
				kind = tracefmt.Crash
			}
			noError(t, mem.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: kind, Process: 1}))
		}
		from := rapid.IntRange(0, n+1).Draw(t, "from")
		next, previous := 0, 0
		for seq := rare; seq <= n; seq += rare {
			if seq > from && next == 0 {
				next = seq
			}
			if seq < from {
				previous = seq
			}
		}
		p := &replay.Pattern{Kind: tracefmt.Crash}
		a, err := p.Next(mem, tracefmt.Seq(from))
		noError(t, err)
		b, err := p.Previous(mem, tracefmt.Seq(from))
		noError(t, err)
		if int(a) != next || int(b) != previous {
			t.Fatalf("from %d: next %d, previous %d, want %d and %d", from, a, b, next, previous)
		}
	})
}

// FuzzParsePattern: no text panics, and an error is one harmless line.
func FuzzParsePattern(f *testing.F) {
	for _, text := range []string{"crash", `state "a b"=1@ann`, "send VOTE to bob", `@ = "`, "* @"} {
		f.Add(text)
	}
	mem := election(f)
	f.Fuzz(func(t *testing.T, text string) {
		position, err := replay.ParsePosition(text, mem.Run())
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		if err := replay.NewCursor(mem).Go(position); err == nil {
			return
		}
	})
}
