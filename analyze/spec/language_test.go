package spec_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt/text"
)

const document = "../../docs/language.md"

// TestDocument compares the document with the tables of the package.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, tables, found := strings.Cut(string(text), "tables -->\n")
	_, after, closed := strings.Cut(tables, "<!-- end -->")
	if !found || !closed {
		t.Fatal("the marks of the generated part are missing")
	}
	want := before + "tables -->\n" + reference() + "<!-- end -->" + after
	if os.Getenv("ETRACE_UPDATE") != "" {
		if err := os.WriteFile(document, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-tables +document) ETRACE_UPDATE=1 rewrites it\n%s", diff)
	}
}

// reference is the part of the document that is written from the tables.
func reference() string {
	var b strings.Builder
	rules, parts := constructs()
	b.WriteString("\n## Rules\n")
	for _, c := range rules {
		describe(&b, c)
	}
	b.WriteString("\n## Parts of rules\n\n| part | form | meaning |\n|---|---|---|\n")
	for _, c := range parts {
		form := strings.ReplaceAll(strings.ReplaceAll(c.Syntax, "|", "\\|"), "\n", "` `")
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", c.Name, form, firstSentence(c))
	}
	return b.String()
}

// constructs separates rules from their parts.
func constructs() (rules, parts []spec.Construct) {
	for _, c := range spec.Constructs() {
		if c.Stopped != "" {
			rules = append(rules, c)
		} else {
			parts = append(parts, c)
		}
	}
	return rules, parts
}

func describe(b *strings.Builder, c spec.Construct) {
	fmt.Fprintf(b, "\n### %s\n\n    %s\n\n%s\n", c.Name, strings.ReplaceAll(c.Syntax, "\n", "\n    "), firstSentence(c))
	fmt.Fprintf(b, "\n```rules\n%s\n```\n", c.Example)
}

// firstSentence begins the doc of a construct. etrace explain has the rest, and the verdicts at every end of a run.
func firstSentence(c spec.Construct) string {
	return strings.Join(strings.Fields(text.FirstSentence(c.Doc)), " ") + "."
}

var fenced = regexp.MustCompile("(?s)```rules\n(.*?)```")

// TestExamples checks a good run of the bully algorithm for every example of the document, and of the tables. It
// breaks none of them.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := os.ReadFile("../property/testdata/bully.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	examples := []string{}
	for _, found := range fenced.FindAllStringSubmatch(string(text), -1) {
		examples = append(examples, found[1])
	}
	_, parts := constructs()
	for _, c := range parts { // the document has the examples of the rules
		examples = append(examples, c.Example)
	}
	if len(examples) <= len(spec.Constructs()) {
		t.Errorf("found %d examples, expected one for each of %d constructs and the first", len(examples), len(spec.Constructs()))
	}
	for _, example := range examples {
		for _, r := range check(t, decode(t, trace)[0], example).Results {
			switch r.Verdict {
			case analyze.Satisfied, analyze.Vacuous, analyze.NotApplicable:
			default:
				t.Errorf("%s is %s: %s", r.Property.Rule, r.Verdict, r.Explanation)
			}
		}
	}
}

// TestConstructsAreWhole: each has a description, and a form of rules its meaning at every end of a run.
func TestConstructsAreWhole(t *testing.T) {
	var names []string
	for _, c := range spec.Constructs() {
		if c.Name == "" || c.Syntax == "" || c.Doc == "" || c.Example == "" || slices.Contains(names, c.Name) {
			t.Errorf("%q: expected a name of its own, a syntax, a doc and an example", c.Name)
		}
		if (c.Stopped == "") != (c.Quiescent == "") || (c.Stopped == "") != (c.Loop == "") {
			t.Errorf("%s: expected its meaning at every end, or at none", c.Name)
		}
		names = append(names, c.Name)
	}
}
