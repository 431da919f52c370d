package shard_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/shard"
)

func summaryOf(t interface{ Fatal(...any) }, p *shard.Plan, number int, found any) *shard.Summary {
	s, err := p.Summary(number, found)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func textOf(t interface{ Fatal(...any) }, s *shard.Summary) string {
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestJoin: in which order, how often and in which groups summaries are joined changes nothing.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := planOf(t, rapid.IntRange(1, 8).Draw(t, "shards"))
		var list []*shard.Summary
		for i := range p.Shards {
			list = append(list, summaryOf(t, p, i, []int{i * i}))
		}
		join := func(list ...*shard.Summary) *shard.Summary {
			s, err := shard.Join(p, list...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := textOf(t, join(list...))
		shuffled := rapid.Permutation(append(list, rapid.SliceOf(rapid.SampledFrom(list)).Draw(t, "doubled")...)).Draw(t, "order")
		for len(shuffled) > 1 {
			n := rapid.IntRange(2, len(shuffled)).Draw(t, "group")
			shuffled = append(shuffled[n:], join(shuffled[:n]...))
		}
		if got := textOf(t, join(shuffled...)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := join(shuffled...).Whole(p); err != nil {
			t.Error(err)
		}
	})
}

// TestJoinRefuses: what two summaries of one shard differ in, and what is missing, is named.
func TestJoinRefuses(t *testing.T) {
	p := planOf(t, 4)
	zero, two := summaryOf(t, p, 0, 7), summaryOf(t, p, 2, 8)
	if _, err := shard.Join(p, zero, two, summaryOf(t, p, 2, 9)); err == nil ||
		!strings.HasPrefix(err.Error(), "shard 2: different summaries") {
		t.Error(err)
	}
	some, err := shard.Join(p, two, zero)
	if err != nil {
		t.Fatal(err)
	}
	if err := some.Whole(p); err == nil || !strings.HasPrefix(err.Error(), "shards 1, 3 of 4: no summary") {
		t.Error(err)
	}
}

// TestReadSummaries: one after another; one of another plan, and none, are refused.
func TestReadSummaries(t *testing.T) {
	p, second := planOf(t, 4), planOf(t, 4, 1)
	text := textOf(t, summaryOf(t, p, 0, 7)) + textOf(t, summaryOf(t, p, 1, "<x>"))
	summaries, err := p.ReadSummaries(strings.NewReader(text), "all.json")
	if err != nil || len(summaries) != 2 || textOf(t, summaries[0])+textOf(t, summaries[1]) != text {
		t.Errorf("%v, %v, want %s", summaries, err, text)
	}
	for _, bad := range []struct{ text, want string }{
		{textOf(t, summaryOf(t, second, 0, 7)), "another plan"},
		{text[:len(text)-10], "not a whole one"},
		{"{}", "not a summary"},
		{"", "empty"},
	} {
		if _, err := p.ReadSummaries(strings.NewReader(bad.text), "all.json"); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%.40q: %v, want %q", bad.text, err, bad.want)
		}
	}
}
