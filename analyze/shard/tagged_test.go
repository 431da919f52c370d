package shard_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze/shard"
)

// shown is what EachTagged shows of each shard, in its order.
func shown(p *shard.Plan, r io.Reader) (slices []string, err error) {
	err = p.EachTagged(r, func(shard int, slice io.Reader) error {
		text, err := io.ReadAll(slice)
		slices = append(slices, fmt.Sprintf("%d:%s", shard, text))
		return err
	})
	return slices, err
}

// TestEachTagged: each shard gets its lines, however long they are and in whatever pieces they arrive.
func TestEachTagged(t *testing.T) {
	p := planOf(t, 100, 1)
	rapid.Check(t, func(t *rapid.T) {
		var input strings.Builder
		var want []string
		for _, shard := range rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 5, rapid.ID[int]).Draw(t, "shards") {
			want = append(want, fmt.Sprintf("%d:", shard))
			for _, line := range rapid.SliceOfN(rapid.StringMatching(`[a\t"]{0,20}`), 1, 5).Draw(t, "lines") {
				if rapid.IntRange(0, 20).Draw(t, "long") == 0 {
					line = strings.Repeat("long", 40_000)
				}
				fmt.Fprintf(&input, "%d\t%s\n", shard, line)
				want[len(want)-1] += line + "\n"
			}
		}
		text := input.String()
		if len(want) > 0 && rapid.Bool().Draw(t, "the last line does not end") {
			text, want[len(want)-1] = strings.TrimSuffix(text, "\n"), strings.TrimSuffix(want[len(want)-1], "\n")
		}
		pieces := rapid.IntRange(1, 100_000).Draw(t, "pieces")
		got, err := shown(p, &inPieces{strings.NewReader(text), pieces})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// inPieces is a reader of some bytes at a time.
type inPieces struct {
	io.Reader
	limit int
}

func (r *inPieces) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.limit)]) }

// TestEachTaggedSkips: what a check leaves of its slice belongs to no other shard.
func TestEachTaggedSkips(t *testing.T) {
	var got []int
	err := planOf(t, 3, 1).EachTagged(strings.NewReader("0\ta\n0\tb\n2\tc\n2\td"), func(shard int, slice io.Reader) error {
		got = append(got, shard)
		_, err := io.ReadFull(slice, make([]byte, 1))
		return err
	})
	if diff := cmp.Diff([]int{0, 2}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// TestEachTaggedRefuses: lines that no engine has sorted.
func TestEachTaggedRefuses(t *testing.T) {
	for input, want := range map[string]string{
		"0\ta\n1\tb\n0\tc\n":                  "line 3: shard 0 again after another one, expected the lines sorted by their shards",
		"{\"seq\":1}\n":                       "line 1: expected SHARD<TAB>LINE, the number of a shard first",
		"0\ta\nb\n":                           "line 2: expected SHARD<TAB>LINE, the number of a shard first",
		"x\ta\n":                              "line 1: expected SHARD<TAB>LINE, the number of a shard first",
		"0\ta\n3\tb\n":                        "line 2: --shard 3: the plan has 3, expected 0 to 2",
		"\t\n":                                "line 1: expected SHARD<TAB>LINE, the number of a shard first",
		"0\tstop\n":                           "shard 0: stopped",
		"1\ta\n" + strings.Repeat("x", 1<<20): "line 2: expected SHARD<TAB>LINE, the number of a shard first",
	} {
		err := planOf(t, 3, 1).EachTagged(strings.NewReader(input), func(_ int, slice io.Reader) error {
			text, err := io.ReadAll(slice)
			if bytes.HasPrefix(text, []byte("stop")) {
				return errors.New("stopped")
			}
			return err
		})
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, expected %s", input, err, want)
		}
	}
}

// TestEachTaggedBroken: an input that breaks off with an error is no end.
func TestEachTaggedBroken(t *testing.T) {
	for _, before := range []string{"", "0", "0\t", "0\ta", "0\ta\n", "0\ta\n1\tb"} {
		broken := errors.New("broken")
		_, err := shown(planOf(t, 3, 1), io.MultiReader(strings.NewReader(before), &failing{broken}))
		if !errors.Is(err, broken) {
			t.Errorf("after %q: %v, expected that the input is broken", before, err)
		}
	}
}

type failing struct{ error }

func (f *failing) Read([]byte) (int, error) { return 0, f.error }
