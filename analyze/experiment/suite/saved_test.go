package suite_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"etrace/analyze/experiment/suite"
	"etrace/fixtures/size"
)

func savedText(t *testing.T, s *suite.Saved) []byte {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const gridded = `suite: Grid
description: Of sizes and seeds.
cases:
  - name: n = ${n}
    for: {n: 3-9}
    scenario: {algorithm: chang-roberts, nodes: "${n}", start: 1@0}
    expect: {messages: 3*n-1, leader: "${n}"}
  - name: wrong
    scenario: {algorithm: bully, nodes: 3, down: 3, start: 2}
    expect: {messages: 7, verdicts: {single-leader: violated}}
  - name: explained
    scenario: {algorithm: bully, nodes: 3, down: 3, start: 2}
    expect: {messages: 2}
    published: {messages: 3}
    note: why
`

// TestSharesAreTheWhole: the shares of shards, saved and joined in any order, are the report of
// all cases, in every format and style.
func TestSharesAreTheWhole(t *testing.T) {
	suites := []*suite.Suite{parse(t, gridded), parse(t, strings.ReplaceAll(gridded, "Grid", "Again"))}
	for _, file := range []string{"../../../fixtures/suites/examples.yaml"} {
		s, err := suite.Load(filepath.FromSlash(file), suite.Known{})
		if err != nil {
			t.Fatal(err)
		}
		suites = append(suites, s)
	}
	full, err := suite.Run(t.Context(), suites, suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, shards := range size.Pick([]int{7}, []int{1, 7}, []int{1, 2, 7, 64}) {
		var texts [][]byte
		for shard := range shards {
			r, err := suite.Run(t.Context(), suite.Share(suites, shard, shards), suite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, savedText(t, suite.Save(suites, r)))
		}
		// Shards end in any order.
		slices.Reverse(texts)
		joined, err := suite.Join(texts)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range suite.Formats().Names() {
			for _, s := range []suite.Style{{}, {All: true}, {Quiet: true, Color: true}} {
				if want, got := write(t, format, full, s), write(t, format, joined, s); got != want {
					t.Errorf("%d shards as %s: got\n%s\nwant\n%s", shards, format, got, want)
				}
			}
		}
		if len(texts) > 1 {
			if _, err := suite.Join(texts[1:]); err == nil {
				t.Errorf("%d shards without one: no error", shards)
			}
			if _, err := suite.Join(append(texts, texts[shards-1])); err == nil {
				t.Errorf("%d shards with one twice: no error", shards)
			}
		}
	}
}

// TestJoinRefusesCounts: a file that claims more cases than there are is refused before room is made for them.
func TestJoinRefusesCounts(t *testing.T) {
	suites := []*suite.Suite{parse(t, gridded)}
	r, err := suite.Run(t.Context(), suites, suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cases := range []int{-1, 10, 1 << 60} {
		want := fmt.Sprintf("9 of %d cases", cases)
		saved := suite.Save(suites, r)
		saved.Suites[0].Cases = cases
		if _, err := suite.Join([][]byte{savedText(t, saved)}); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%d cases: %v, want %s", cases, err, want)
		}
	}
}

// TestDigest: other cases have another one.
func TestDigest(t *testing.T) {
	seen := map[string]string{}
	for _, change := range [][2]string{
		{"", ""},
		{"3-9", "3-8"},
		{"Grid", "Grit"},
		{"why", "because"},
		{"down: 3", "down: 2"},
		{"messages: 7", "messages: 8"},
		{"{messages: 3}", "{messages: 4}"},
	} {
		text := strings.Replace(gridded, change[0], change[1], 1)
		digest := suite.Digest([]*suite.Suite{parse(t, text)})
		if digest != suite.Digest([]*suite.Suite{parse(t, text)}) {
			t.Errorf("%q: not the same twice", change)
		}
		if before, known := seen[digest]; known {
			t.Errorf("%q has the digest of %q", change, before)
		}
		seen[digest] = change[1]
	}
}
