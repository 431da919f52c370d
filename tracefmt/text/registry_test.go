package text_test

import (
	"errors"
	"slices"
	"testing"

	"etrace/tracefmt/text"
)

type fruit struct {
	name string
	ripe bool
}

func (f fruit) Key() string { return f.name }

func (f fruit) Check() error {
	if f.name == "stone" {
		return errors.New("expected a fruit")
	}
	return nil
}

func TestRegistry(t *testing.T) {
	r := text.NewRegistry("apple", fruit{name: "jonagold"}, fruit{name: "elstar"})
	more, err := r.With(fruit{name: "gala"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := more.Names(), []string{"elstar", "gala", "jonagold"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := r.Names(), []string{"elstar", "jonagold"}; !slices.Equal(got, want) {
		t.Errorf("With changed the registry that it extends: got %v, want %v", got, want)
	}
	if (text.Registry[fruit]{}).IsZero() == text.NewRegistry[fruit]("apple").IsZero() {
		t.Error("expected a registry of nothing to differ from the zero one")
	}
	if f, err := more.Lookup("gala"); err != nil || f.name != "gala" {
		t.Errorf("got %v, %v", f, err)
	}
	_, err = r.Lookup("gala")
	if want := `unknown apple "gala" (known: elstar, jonagold)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, c := range []struct {
		name, want string
	}{{"elstar", `two of the kind apple are named "elstar"`}, {"", "an apple without a name"}, {"stone", `apple "stone": expected a fruit`}} {
		if _, err := r.With(fruit{name: c.name}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestRegistryReplacing(t *testing.T) {
	r := text.NewRegistry("apple", fruit{name: "jonagold"}, fruit{name: "elstar"})
	riper, err := r.Replacing(fruit{"jonagold", true})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := riper.Lookup("jonagold"); err != nil || !f.ripe || len(riper.All()) != 2 {
		t.Errorf("got %v, %v among %v", f, err, riper.Names())
	}
	if f, err := r.Lookup("jonagold"); err != nil || f.ripe {
		t.Errorf("Replacing changed the registry that it is of: got %v, %v", f, err)
	}
	if _, err := r.Replacing(fruit{name: "gala"}); err == nil || err.Error() != `unknown apple "gala" (known: elstar, jonagold)` {
		t.Errorf("got %v", err)
	}
}

// TestNearest: a name is suggested if at most a third of the letters are wrong, or if it is the only one with
// this beginning.
func TestNearest(t *testing.T) {
	commands := []string{"check", "diff", "explain", "export", "lint", "plan", "record", "render", "stats", "suite"}
	flags := []string{"--end", "--force", "--nodes", "--property", "--rule", "--to"}
	symbols := []string{"all", "each", "highest", "lowest", "random", "second-highest"}
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"chek", commands, "check"},
		{"chcek", commands, "check"}, // two letters changed places
		{"stat", commands, "stats"},
		{"rec", commands, "record"},
		{"ex", commands, ""}, // explain and export
		{"plot", commands, ""},
		{"hunt", commands, ""},
		{"simulate", commands, ""},
		{"--format", flags, ""},
		{"--processes", flags, ""},
		{"--only", flags, ""},
		{"--node", flags, "--nodes"},
		{"low", symbols, "lowest"},
		{"hihgest", symbols, "highest"},
		{"trace.dB", []string{"other.db", "trace.db"}, "trace.db"},
		{"agreement single-leader", []string{"agreement", "single-leader"}, ""},
		{"jsonlines", []string{"edn", "jsonl", "json"}, "jsonl"},
		{"", commands, ""},
		{"x", commands, ""},
	} {
		if got := text.Nearest(c.name, c.known); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
