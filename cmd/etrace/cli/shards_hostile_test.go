package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"etrace/analyze/shard"

	"etrace/fixtures/size"
)

const hostileTrace = `{"format":"etrace/1","source":"recorded","time_unit":"ns","complete":{"default":"all"},` +
	`"members":[{"name":"1"},{"name":"2"}]}
{"seq":1,"time":1,"process":"1","kind":"start"}
{"seq":2,"time":2,"process":"1","kind":"send","peer":"2","message":1,"term":1}
{"seq":3,"time":3,"process":"1","kind":"state","payload":{"term":2,"elected":"1"}}
{"seq":4,"time":4,"process":"2","kind":"receive","peer":"1","message":1,"cause":2}
{"seq":5,"time":5,"process":"1","kind":"send","peer":"2","message":2}
{"seq":6,"time":9,"process":"1","kind":"crash"}
{"end":"stopped","events":6}
`

const hostileRules = `
rule term: unique term per process over send
rule alive: never receive where not live(peer)
rule arrives: each s: send leads to receive(message = s.message) within 2ns
rule owed: each s: send leads to receive(message = s.message)
rule whole: never count(leads) > 1
`

// changes returns the value with one of its parts replaced, each part once by each other value.
func changes(v any, values []any, yield func()) {
	change := func(set func(any), was any) {
		for _, value := range values {
			set(value)
			yield()
		}
		set(was)
		changes(was, values, yield)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, was := range v {
			change(func(x any) { v[key] = x }, was)
		}
	case []any:
		for i, was := range v {
			change(func(x any) { v[i] = x }, was)
		}
	}
}

// summed is a summary with the sum that fits it, as far as it is one.
func summed(s map[string]any) string {
	text, _ := json.Marshal(s)
	var summary shard.Summary
	var b bytes.Buffer
	if json.Unmarshal(text, &summary) != nil || summary.WriteJSON(&b) != nil {
		return string(text)
	}
	return b.String()
}

// TestHostilePlans: whatever somebody has written into a plan or a summary, with an id that fits, each
// command ends with a status and, if it fails, a line.
func TestHostilePlans(t *testing.T) {
	size.SkipQuick(t)
	t.Chdir(t.TempDir())
	mustWrite(t, "t.jsonl", hostileTrace)
	mustWrite(t, "rules.txt", hostileRules)
	quietly(t, words("plan t.jsonl --spec rules.txt --shards 2 -o plan.json")...)
	var found []string
	for i := range 2 {
		text, _ := runOf(t, fmt.Sprintf("check --plan plan.json --shard %d", i))
		found = append(found, text)
	}
	mustWrite(t, "0.json", found[0])
	mustWrite(t, "1.json", found[1])
	commands := []string{
		"check --plan bad.json --shard 0", "check --plan bad.json --shard 1", "slice --plan bad.json -o -",
		"merge --plan bad.json bad0.json bad1.json",
	}
	values := []any{nil, 0, -1, 1, 1 << 62, -1 << 63, "", "x", true, []any{}, map[string]any{}, []any{nil}, []any{map[string]any{}}}
	random := rand.New(rand.NewPCG(14, 2))
	drawn := func() bool { return random.IntN(size.Pick(100, 20, 1)) == 0 }
	run := func(command string, change string) {
		t.Helper()
		var out, errOut bytes.Buffer
		status := Run(words(command), strings.NewReader(""), &out, &errOut)
		if said := strings.TrimSpace(errOut.String()); status == exitFail && (said == "" || strings.Contains(said, "\n") &&
			!strings.HasSuffix(said, "^")) {
			t.Errorf("%s: says %q\n%s", command, said, change)
		}
	}
	text, err := os.ReadFile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	var plan map[string]any
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	for _, traces := range []string{`[]`, `[{"path":"t.jsonl"}]`, `[null, null]`} {
		var p shard.Plan
		if err := errors.Join(json.Unmarshal(text, &p), json.Unmarshal([]byte(traces), &p.Traces), p.Seal()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, "bad.json", b.String())
		for _, command := range commands {
			run(command, b.String())
		}
	}
	made := 0
	changes(plan, values, func() {
		if !drawn() {
			return
		}
		text, _ := json.Marshal(plan)
		var p shard.Plan
		if json.Unmarshal(text, &p) != nil || p.Seal() != nil {
			return
		}
		var b bytes.Buffer
		if p.WriteJSON(&b) != nil {
			return
		}
		made++
		if p.Shards > 1000 { // as long as they are many, it is a matter of time
			return
		}
		mustWrite(t, "bad.json", b.String())
		for i, f := range found {
			var s map[string]any
			_ = json.Unmarshal([]byte(f), &s)
			s["plan"] = p.ID
			mustWrite(t, fmt.Sprintf("bad%d.json", i), summed(s))
		}
		for _, command := range commands {
			run(command, b.String())
		}
	})
	if made < 20 {
		t.Errorf("%d plans, expected more", made)
	}
	mustWrite(t, "bad.json", string(text))
	for i, f := range found {
		mustWrite(t, fmt.Sprintf("bad%d.json", 1-i), found[1-i])
		var s map[string]any
		_ = json.Unmarshal([]byte(f), &s)
		changes(s, values, func() {
			if !drawn() {
				return
			}
			text := summed(s)
			mustWrite(t, fmt.Sprintf("bad%d.json", i), text)
			run(commands[3], text)
		})
	}
}
