package text_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"etrace/tracefmt/text"
)

func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		limit        int
		input, wants string
	}{
		{16, "a b", "a b"},
		{16, "election-service-0 election-service-1", "election-serv…-0 election-serv…-1"},
		{16, "election-service-0 election-service-10", "election-serv…-0 election-ser…-10"},
		{5, "election-service-0 election-service-10", "el…-0 el…10"},
		// A distinct beginning stays.
		{8, "coordinator participant", "coordin… partici…"},
		// A distinct middle stays.
		{14, "eu-west-prod-node-1.cluster.example.com eu-west-prod-node-2.cluster.example.com", "…1.cluster.ex… …2.cluster.ex…"},
		// A common beginning is dropped.
		{
			8,
			"aaaaaaaaaaaabaaaaaaaaaaaaa-aaaaaaaaaa aaaaaaaaaaaacaaaaaaaaaaaaa-aaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbb",
			"…baaaaa… …caaaaa… bbbbbbb…",
		},
		{6, "eu-prod-1-raft eu-prod-1-raft-backup eu-prod-2-raft eu-prod-2-raft-backup client-a", "…1-r…t …1-r…p …2-r…t …2-r…p clien…"},
		{5, "aaaaaabcccccc aaaaaabddcccc", "…ccc… …ddc…"},
		// Nothing helps.
		{4, "xayyyyyyybz xayyyyyyycz xadyyyyyybz xadyyyyyycz xbdyyyyyycz xbdyyyyydcz", "x…#3 x…#4 x…#1 x…#2 …ycz …dcz"},
		// Three characters stay: an ellipsis would replace two of them.
		{2, "99 100 101 102", "99 100 101 102"},
		// A short form may equal a name that fits.
		{5, "abcd… abcdef", "abcd… abc…f"},
	} {
		if got := strings.Join(text.Distinct(strings.Fields(c.input), c.limit, nil), " "); got != c.wants {
			t.Errorf("%s\ngot  %s\nwant %s", c.input, got, c.wants)
		}
	}
	wide := func(rune) int { return 2 }
	if got := text.Distinct([]string{"漢漢漢漢1", "漢漢漢漢2"}, 6, wide); !slices.Equal(got, []string{"漢…1", "漢…2"}) {
		t.Errorf("wide: %q", got)
	}
}

// TestLawDistinct: distinct names stay distinct within the width, in any order, and names that fit stay
// unchanged.
func TestLawDistinct(t *testing.T) {
	part := rapid.SampledFrom(
		[]string{"election-service", "-", ".", "0", "1", "10", "aaaaaaaaaa", "é", "漢", "…", "node", ".cluster.local", "x"},
	)
	name := rapid.Map(rapid.SliceOfN(part, 1, 6), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 0, 90, rapid.ID).Draw(t, "names")
		limit := rapid.IntRange(1, 24).Draw(t, "most")
		short := text.Distinct(names, limit, nil)
		seen := map[string]string{}
		for i, s := range short {
			if earlier, taken := seen[s]; taken {
				t.Fatalf("%q and %q are both %q", names[i], earlier, s)
			}
			seen[s] = names[i]
			numbered := strings.HasPrefix(s, "…#") // there may be no room for a number alone
			if n := utf8.RuneCountInString(s); n > limit && n > 3 && !numbered {
				t.Fatalf("%q became %q, of %d characters, expected at most %d", names[i], s, n, limit)
			}
			if utf8.RuneCountInString(names[i]) <= limit && s != names[i] {
				t.Fatalf("%q became %q though it fits in %d", names[i], s, limit)
			}
		}
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Perm(len(names))
		shuffled := make([]string, len(names))
		for i, j := range order {
			shuffled[i] = names[j]
		}
		for i, s := range text.Distinct(shuffled, limit, nil) {
			if s != short[order[i]] {
				t.Fatalf("%q is %q or %q by the order", shuffled[i], s, short[order[i]])
			}
		}
	})
}

// TestDistinctWide: no width panics, whatever the characters take.
func TestDistinctWide(t *testing.T) {
	wide := func(r rune) int {
		if r > 0xff && r != '…' {
			return 2
		}
		return 1
	}
	for limit := range 8 {
		for _, names := range [][]string{{"p10", "p20"}, {"漢10", "漢20", "字10"}, {"", "a", "…"}, {"1234567", "2234567"}} {
			short := text.Distinct(names, limit, wide)
			slices.Sort(short)
			if len(slices.Compact(short)) != len(names) {
				t.Errorf("%q in %d columns became %q, expected as many", names, limit, short)
			}
		}
	}
}

// TestDistinctMany: a thousand names in a narrow column.
func TestDistinctMany(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("election-service-%d", i))
	}
	short := text.Distinct(names, 5, nil)
	slices.Sort(short)
	if n := len(slices.Compact(short)); n != 1000 {
		t.Errorf("%d of 1000 are distinct", n)
	}
}

// TestCommonEnds: ends are whole up to a sign, and leave something of each name.
func TestCommonEnds(t *testing.T) {
	for _, c := range []struct{ names, begin, end string }{
		{"raft-1.example raft-2.example", "raft-", ".example"},
		{"raft-1.example", "", ""},
		{"election electron", "", ""},
		{"a.b a.b.b", "a.", ""},
		{"n-1 n-1", "n-", ""},
		{"node:1 node:12 node:2", "node:", ""},
		{"x.prod y.prod", "", ".prod"},
		{"é-1 é-2", "é-", ""},
	} {
		names := strings.Fields(c.names)
		begin, end := text.CommonEnds(names)
		if begin != c.begin || end != c.end {
			t.Errorf("%s: %q and %q, want %q and %q", c.names, begin, end, c.begin, c.end)
		}
	}
}
