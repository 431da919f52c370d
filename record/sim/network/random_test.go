package network

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"etrace/tracefmt"
)

// The first draws of seed 1. They may change only together with a note in the
// change log: recorded scenarios would no longer give the runs they gave.
func TestRandomIsPinned(t *testing.T) {
	for _, test := range []struct {
		delay Delay
		want  string
	}{
		{Delay{Fixed, tracefmt.Unit, 0}, "[1 1 1 1]"},
		{Delay{Uniform, tracefmt.Unit / 2, 3 * tracefmt.Unit / 2}, "[1.430694636 1.229214439 1.4018874 1.387070481]"},
		{Delay{Exponential, tracefmt.Unit, 0}, "[1.887070481 0.673774328 4.789561556 0.472149747]"},
	} {
		r := newRandom(1)
		var got []tracefmt.Time
		for range 4 {
			got = append(got, r.delay(test.delay))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%+v: %v, want %s", test.delay, got, test.want)
		}
	}
}

// Uniform draws are floor(u n / 2^64) for the words u of the generator that
// the standard library fixes: PCG (O'Neill 2014) seeded with the seed.
func TestUniformAgainstBigIntegers(t *testing.T) {
	for seed := range int64(20) {
		r, src := newRandom(seed), rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)
		n := int64(1e9 + 7*seed)
		for range 50 {
			u := new(big.Int).SetUint64(src.Uint64())
			want := u.Rsh(u.Mul(u, big.NewInt(n)), 64).Int64()
			if got := r.below(tracefmt.Time(n)); int64(got) != want {
				t.Fatalf("seed %d: %d, want %d", seed, got, want)
			}
		}
	}
}

// Means within four standard errors, and the shape: a share e^-k of the
// exponential delays is above k means.
func TestDistributions(t *testing.T) {
	const n = 200_000
	r := newRandom(7)
	sum, above := 0.0, [4]int{}
	for range n {
		d := float64(r.delay(Delay{Exponential, tracefmt.Unit, 0})) / 1e9
		if d < 0 {
			t.Fatalf("delay %v", d)
		}
		sum += d
		for k := range above {
			if d > float64(k) {
				above[k]++
			}
		}
	}
	if mean := sum / n; math.Abs(mean-1) > 4/math.Sqrt(n) {
		t.Errorf("exponential(1): mean %v", mean)
	}
	for k, count := range above {
		p := math.Exp(-float64(k))
		if share := float64(count) / n; math.Abs(share-p) > 4*math.Sqrt(p*(1-p)/n)+1e-9 {
			t.Errorf("exponential(1): share %v above %d, want %v", share, k, p)
		}
	}
	sum = 0
	for range n {
		d := r.delay(Delay{Uniform, tracefmt.Unit / 2, 3 * tracefmt.Unit / 2})
		if d < tracefmt.Unit/2 || d >= 3*tracefmt.Unit/2 {
			t.Fatalf("uniform(0.5,1.5): %v", d)
		}
		sum += float64(d) / 1e9
	}
	if mean := sum / n; math.Abs(mean-1) > 4*math.Sqrt(1.0/12/n) {
		t.Errorf("uniform(0.5,1.5): mean %v", mean)
	}
	hits := 0
	for range n {
		if r.chance(0.3) {
			hits++
		}
	}
	if share := float64(hits) / n; math.Abs(share-0.3) > 4*math.Sqrt(0.3*0.7/n) {
		t.Errorf("chance(0.3): %v", share)
	}
	if r.chance(0) || !r.chance(1) {
		t.Error("chance 0 and 1 must be certain")
	}
}

// Floating-point functions differ between machines; the allowed one only shifts the exponent.
func TestRandomUsesIntegers(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "random.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(sel.X) == "math" && sel.Sel.Name != "Ldexp" {
			t.Errorf("random.go uses math.%s", sel.Sel.Name)
		}
		return true
	})
}
