package standin

import (
	"os"
	"testing"

	_ "github.com/goccy/go-graphviz" // its init runs with the module that is put in its place
)

// TestPlaced: the module of the version in go.mod is known, and its inits are content with the other one.
func TestPlaced(t *testing.T) {
	if !Placed() {
		t.Fatalf("the module, of %d bytes, is left in place, want one of %d that is replaced", len(wasmFile), knownSize)
	}
}

// TestHollow: each function that is called keeps its name and type and returns zeros; what is neither such a function
// nor memory is left out.
func TestHollow(t *testing.T) {
	const header = "\x00asm\x01\x00\x00\x00"
	module := header +
		"\x01\x0b\x02\x60\x01\x7f\x02\x7f\x7c\x60\x00\x01\x7e" + // types: 0 is (i32) -> (i32, f64), 1 is () -> i64
		"\x02\x07\x01\x01e\x01f\x00\x01" + // imports: e.f of type 1
		"\x03\x03\x02\x00\x01" + // two functions, of types 0 and 1
		"\x05\x03\x01\x00\x09" + // memory of nine pages
		"\x07\x1d\x05\x06malloc\x00\x01\x04free\x00\x02\x01f\x00\x01\x01m\x02\x00\x01g\x03\x00" // exports: both, one again, memory, a global
	want := header +
		"\x01\x0b\x02\x60\x01\x7f\x02\x7f\x7c\x60\x00\x01\x7e" +
		"\x03\x03\x02\x00\x01" +
		"\x05\x03\x01\x00\x01" +
		"\x07\x15\x03\x06malloc\x00\x00\x04free\x00\x01\x01m\x02\x00" +
		"\x0a\x14\x02\x0d\x00\x41\x00\x44\x00\x00\x00\x00\x00\x00\x00\x00\x0b\x04\x00\x42\x00\x0b"
	got, err := hollow([]byte(module))
	if err != nil || string(got) != want {
		t.Errorf("got (%v)\n%q\nwant\n%q", err, got, want)
	}
	for cut := range len(module) {
		if _, err := hollow([]byte(module[:cut])); err == nil {
			t.Errorf("the module cut at %d is accepted", cut)
		}
	}
}

// TestCached: a process that draws keeps what it compiles, unless an argument forbids it.
func TestCached(t *testing.T) {
	args, was := os.Args, placed
	defer func() { os.Args, placed = args, was }()
	for _, test := range []struct {
		placed bool
		args   []string
		want   bool
	}{
		{false, []string{"etrace"}, true},
		{false, []string{Drawer}, true},
		{false, []string{Drawer, "any"}, true},
		{false, []string{Drawer, NoCache}, false},
		{true, []string{"etrace"}, false},
	} {
		placed, os.Args = test.placed, test.args
		if Cached() != test.want {
			t.Errorf("replaced %v, started as %q: cached %v, want %v", test.placed, test.args, Cached(), test.want)
		}
	}
}
