package catalog

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/lint"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/render"
	"etrace/render/diagram"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/interop/mapping"
)

func known() Known {
	return Known{
		Algorithms: builtin.Algorithms(), Properties: property.Builtin(), Formats: formats.Builtin(), Diagrams: diagram.Builtin(),
		Pictures: render.Formats(), Reports: report.Formats(), SuiteReports: suite.Formats(), StatsReports: complexity.Formats(),
		LintRules: lint.Rules(), Maps: mapping.Ready,
	}
}

// TestAll compares every thing that etrace knows with list and explain: each has a line, and a text at least
// as long.
func TestAll(t *testing.T) {
	c := New(known())
	if kinds := c.Kinds(); !slices.IsSorted(kinds) {
		t.Errorf("the kinds are not in the order of their names: %v", kinds)
	}
	for _, k := range c {
		seen := map[string]bool{}
		for _, e := range k.entries() {
			switch {
			case e.Name == "" || strings.ContainsAny(e.Name, " \n"):
				t.Errorf("%s: %q is no name", k.Name, e.Name)
			case e.Summary == "" || strings.Contains(e.Summary, "\n"):
				t.Errorf("%s %s: the summary is %q, expected a line", k.Name, e.Name, e.Summary)
			case !strings.HasSuffix(e.Text, "\n"):
				t.Errorf("%s %s: the text is %q, expected lines", k.Name, e.Name, e.Text)
			}
			// A function that is called in two ways has an entry for each.
			if id := e.Name + e.Text; seen[id] {
				t.Errorf("%s %s is there twice", k.Name, e.Name)
			} else {
				seen[id] = true
			}
		}
		if len(seen) == 0 {
			t.Errorf("no %s", k.Name)
		}
	}
}

// TestTopics: the properties that a topic names exist.
func TestTopics(t *testing.T) {
	for _, topic := range topics() {
		for _, name := range topic.properties {
			if _, err := property.Builtin().Lookup(name); err != nil {
				t.Errorf("%s: %v", topic.name, err)
			}
		}
	}
}

// TestFieldsWords: the words of textbooks lead to a topic, or to a thing of the same name.
func TestFieldsWords(t *testing.T) {
	const words = "livelock, deadlock, wait-for graph, split brain, quorum, majority, lease, fencing token, failure detector, suspicion, " +
		"tolerates, Byzantine, happens-before, happened before, concurrent, consistent cut, counterexample, witness, linearizable, " +
		"term, epoch, ballot, candidate, follower, best case, average case, worst case, message complexity, time complexity, " +
		"bit complexity, flaky, golden run, CI, holds-so-far, perfetto, log, lasso, model checking, exit status, own rule, " +
		"log matching, state machine safety, machine state safety, vote once, leader election, bully algorithm, CAP, Lamport timestamps, " +
		"logical clock, 2PC, split vote, atomic broadcast, exactly once, FLP, zxid"
	catalog := New(known())
	for word := range strings.SplitSeq(words, ", ") {
		var b strings.Builder
		if err := catalog.Explain(&b, word); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// TestTellsExamples: what explain complete shows for --complete can be written there.
func TestTellsExamples(t *testing.T) {
	for line := range strings.Lines(completenessExamples) {
		if _, err := tracefmt.ParseCompleteness(strings.Fields(line)[0]); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestAlgorithmsAreExplained: explain describes the faults that an algorithm does not tolerate, and how its
// mutants fail, under the algorithm and under each mutant.
func TestAlgorithmsAreExplained(t *testing.T) {
	entries := func(kind string) map[string]string {
		k, err := New(Known{Algorithms: builtin.Algorithms(), Properties: property.Builtin()}).Lookup(kind)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, e := range k.entries() {
			texts[e.Name] += e.Text
		}
		return texts
	}
	algorithms, mutants, traits := entries("algorithms"), entries("mutants"), entries("traits")
	want := func(name, text, part string) {
		if !strings.Contains(text, part) {
			t.Errorf("%s: explain does not say %q", name, part)
		}
	}
	for _, a := range builtin.Algorithms().All() {
		for i := range a.Tolerates {
			if breaks := a.Tolerates[i].Breaks; breaks != "" {
				want(a.Name, algorithms[a.Name], "; with more faults, "+breaks)
			}
		}
		// The command that shows a mutant is made from its scenario, never written by hand.
		for i := range a.Mutants {
			s, err := scenario.Showing(a, &a.Mutants[i])
			if err != nil {
				t.Fatal(err)
			}
			want(a.Name, algorithms[a.Name], "etrace record "+s.CommandLine())
			want(a.Mutants[i].Name, mutants[a.Mutants[i].Name], "etrace record "+s.CommandLine())
		}
	}
	for _, trait := range tracefmt.Traits().All() {
		if len(trait.Includes) > 0 {
			want(trait.Name, traits[trait.Name], "\nIncludes: "+strings.Join(trait.Includes, ", "))
		} else if strings.Contains(traits[trait.Name], "Includes:") {
			t.Errorf("%s includes nothing, but explain says so", trait.Name)
		}
	}
}

// TestFormatsSayTheirUse: a format that is only written is for export.
func TestFormatsSayTheirUse(t *testing.T) {
	read := func(*interop.Reading) error { return nil }
	write := func(*interop.Writing, []tracefmt.Recording) error { return nil }
	for want, f := range map[string]interop.Format{
		"For: import\n": {Name: "a", Read: read}, "For: export\n": {Name: "b", Write: write},
		"For: import and export\n": {Name: "c", Read: read, Write: write},
	} {
		if e := formatEntry(f); !strings.Contains(e.Text, want) {
			t.Errorf("%s: %q, want %q in it", f.Name, e.Text, want)
		}
	}
}

// TestFactKeys: a group replaces its kinds, and other facts stay.
func TestFactKeys(t *testing.T) {
	group := ""
	for _, name := range tracefmt.GroupNames() {
		if kinds := tracefmt.GroupKinds(name); len(kinds) > 1 && !slices.Contains(kinds, tracefmt.Note) {
			group = name
			break
		}
	}
	facts := []tracefmt.Fact{{Kind: tracefmt.Note}}
	for _, k := range tracefmt.GroupKinds(group) {
		facts = append(facts, tracefmt.Fact{Kind: k})
	}
	if got, want := strings.Join(factKeys(facts), " "), group+" note"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}
