package shard_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"etrace/analyze/shard"
	"etrace/fixtures/size"
)

// flipped calls f with a text in which one bit is another: each of its bits in turn, or a sample of them.
func flipped(text []byte, f func(at int, changed []byte)) {
	random := rand.New(rand.NewPCG(15, uint64(len(text))))
	every := size.Pick(11, 3, 1)
	for bit := random.IntN(every); bit < 8*len(text); bit += 1 + random.IntN(2*every-1) {
		changed := bytes.Clone(text)
		changed[bit/8] ^= 1 << (bit % 8)
		f(bit/8, changed)
	}
}

// TestFlips: a plan or summary with one flipped bit is rejected, or has the same meaning.
func TestFlips(t *testing.T) {
	p := planOf(t, 3, 10, 20, 5, 7)
	var plan bytes.Buffer
	if err := p.WriteJSON(&plan); err != nil {
		t.Fatal(err)
	}
	written := func(p *shard.Plan) string {
		var b bytes.Buffer
		if err := p.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	flipped(plan.Bytes(), func(at int, changed []byte) {
		if read, err := shard.ReadPlan(bytes.NewReader(changed), "x"); err == nil && written(read) != plan.String() {
			t.Errorf("plan, byte %d is %q: accepted as another plan", at, changed[at])
		}
	})
	summary := textOf(t, summaryOf(t, p, 1, map[string]any{"found": []int{16, 49}, "text": "<a>"}))
	flipped([]byte(summary), func(at int, changed []byte) {
		read, err := p.ReadSummaries(bytes.NewReader(changed), "x")
		if err == nil && (len(read) != 1 || textOf(t, read[0]) != summary) {
			t.Errorf("summary, byte %d is %q: accepted as another summary", at, changed[at])
		}
	})
}

// TestStrict: keys that are unknown or double are refused, in words that name no type of Go, also where the sum fits.
func TestStrict(t *testing.T) {
	p := planOf(t, 3, 10)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	plan, summary := b.String(), textOf(t, summaryOf(t, p, 1, []int{49}))
	for _, bad := range []struct{ old, new, want string }{
		{`"shards": 3`, `"shards": 3, "shards": 3`, `"shards", expected "examined"`},
		{`"shards": 3`, `"shards": 3, "color": 3`, `"color", expected "examined"`},
		{`"shards": 3`, `"shards": "3"`, `key "shards": a text, expected a number of 64 bits`},
	} {
		_, err := shard.ReadPlan(strings.NewReader(strings.Replace(plan, bad.old, bad.new, 1)), "plan.json")
		if err == nil || !strings.HasPrefix(err.Error(), "plan.json: not a plan, ") || !strings.HasSuffix(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %s", bad.new, err, bad.want)
		}
	}
	for _, bad := range []struct{ old, new, want string }{
		{`"of":3`, `"of":3,"of":3`, `"of", expected "parts"`},
		{`"of":3`, `"of":3,"color":3`, `"color", expected "parts"`},
		{`[49]`, `[16]`, "the summary was changed after it was written: its sum is "},
		{`"sum":"`, `"sum":"0`, "the summary was changed after it was written: its sum is "},
	} {
		_, err := p.ReadSummaries(strings.NewReader(strings.Replace(summary, bad.old, bad.new, 1)), "0.json")
		if err == nil || !strings.HasPrefix(err.Error(), "0.json: ") ||
			!strings.Contains(err.Error(), bad.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", bad.new, err, bad.want)
		}
	}
}
