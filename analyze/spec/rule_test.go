package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// TestParse: names, documentation, kinds and the text of rules.
func TestParse(t *testing.T) {
	properties, err := spec.Parse("election.rules", `
fluent leads(p) while   live(p) and elected(p) == p   # a comment
fluent unused(p) from crash to recover

rule one-leader "Never two \"leaders\".":
  never count(leads) > 1
each s: suspect leads to
  trust(process = s.process)
`, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []analyze.Property{
		{
			Name: "one-leader", Kind: analyze.Safety, Doc: `Never two "leaders".`, Needs: "state events that assign elected",
			Rule: "fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 1",
		},
		{
			Name: "election.rules:7", Kind: analyze.Liveness, Doc: "The rule: each s: suspect leads to trust(process = s.process)",
			Needs: "suspect event", Rule: "each s: suspect leads to trust(process = s.process)",
		},
	}
	if len(properties) != len(want) {
		t.Fatalf("got %d properties, want %d", len(properties), len(want))
	}
	for i, p := range properties {
		got, want := *p, want[i]
		if got.Name != want.Name || got.Kind != want.Kind || got.Doc != want.Doc || got.Needs != want.Needs || got.Rule != want.Rule {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestKinds: a bound on the time makes safety of liveness, since a part of the
// run can break it for good.
func TestKinds(t *testing.T) {
	for rule, want := range map[string]analyze.Kind{
		"each s: suspect leads to trust(process = s.process)":           analyze.Liveness,
		"each s: suspect leads to trust(process = s.process) within 20": analyze.Safety,
		"at end count(live()) > 0":                                      analyze.Liveness,
		"at most 3 send per run":                                        analyze.Safety,
	} {
		properties, err := spec.Parse("rules", rule, spec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := properties[0].Kind; got != want {
			t.Errorf("%s: got %s, want %s", rule, got, want)
		}
	}
}

// TestHead: the head of a rule is kept, and mistakes in it are found.
func TestHead(t *testing.T) {
	const text = "# Here.\nrule quiet `No process\ncrashes.`\n  problem election\n  about raft, zab\n  source " +
		"\"here\", 'and there'\n  needs \"calm\"\n" +
		"  presumes asks-upward\n  requires ring\n  excludes answers\n  on request\n  applies with note(type = " +
		"\"calm\") else \"no calm\":\n  never crash"
	rules, err := spec.Parse("test", text+" # ever\nnever halt", spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := *rules[0]
	p.New, p.ViolatedBy, p.ExcusedBy, p.Triggers = nil, nil, nil, nil
	want := analyze.Property{
		Name: "quiet", Kind: analyze.Safety, Doc: "No process\ncrashes.", Problem: "election", About: []string{
			"raft",
			"zab",
		}, Source: "here; and there", Needs: "calm",
		Presumed: []string{"asks-upward"}, Required: []string{"ring"}, Excluded: []string{"answers"}, OnRequest: true,
		Rule: "never crash", Text: strings.TrimPrefix(text, "# Here.\n"),
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for head, want := range map[string]string{
		"problem elections":  `rules:1:12: unknown problem "elections", did you mean "election"?`,
		"requires rings":     `rules:1:12: unknown trait "rings", did you mean "ring"?`,
		"applies with state": "rules:1:30: unexpected :, expected else",
	} {
		if _, err := spec.Parse("rules", "rule quiet "+head+": never crash", spec.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", head, err, want)
		}
	}
}

// TestNoProcessHasIt: in a run of which everything is recorded, and that can go on no further, what no process ever
// has does not come; of another run the rule may be misspelt.
func TestNoProcessHasIt(t *testing.T) {
	const trace = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"1","position":1}],"complete":{"default":"LEVEL"}}
{"seq":1,"time":0,"process":"1","kind":"state","payload":{"x":1}}
{"end":"END","events":1}
`
	rules, err := spec.Parse("test", `eventually exists p in live(): elected(p) == 1
at end exists p in live(): elected(p) == 1
eventually exists p in live(): var(p, "y") == 1
at end exists p in live(): var(p, "y") == 1`, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		level, end string
		violated   bool
	}{{"all", "quiescent", true}, {"all", "stopped", false}, {"some", "quiescent", false}} {
		runs, err := tracefmt.ReadMemory(strings.NewReader(strings.NewReplacer("LEVEL", c.level, "END", c.end).Replace(trace)))
		if err != nil {
			t.Fatal(err)
		}
		report, err := analyze.Check(runs[0], rules, analyze.Options{Named: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if violated := r.Verdict == analyze.Violated; violated != c.violated {
				t.Errorf("%s, %s: %s is %s (%s)", c.level, c.end, r.Property.Rule, r.Verdict, r.Explanation)
			}
		}
	}
}

// TestRuleParsesBack: the text of a rule that a property shows is a rule again,
// the same one.
func TestRuleParsesBack(t *testing.T) {
	texts := []string{
		"never send(type = \"a  b\\t\") # a comment\n  where   peer == process",
		"rule named \"A  text.\": at most 3*n - 1 send per run",
		"unique e.\"votes  for\" per process over state|start\nnever send where type == \"\u202e\"",
	}
	for _, c := range spec.Constructs() {
		texts = append(texts, c.Example)
	}
	for _, p := range property.Builtin().All() {
		if p.Rule != "" {
			texts = append(texts, p.Rule)
		}
	}
	for _, text := range texts {
		rules, err := spec.Parse("test", text, spec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range rules {
			again, err := spec.Parse("again", p.Rule, spec.Options{})
			switch {
			case err != nil || len(again) != 1:
				t.Errorf("%q: %v", p.Rule, err)
			case again[0].Rule != p.Rule || again[0].Kind != p.Kind || again[0].Needs != p.Needs:
				t.Errorf("%q reads back as %q", p.Rule, again[0].Rule)
			}
		}
		if first := rules[0].Rule; text == texts[0] && first != `never send(type = "a  b\t") where peer == process` {
			t.Errorf("got the rule %s", first)
		}
	}
}

// TestChainCountsEach: obligations that are alike are kept as one, and each counts where one
// event moves them on beside others.
func TestChainCountsEach(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays,
		Members:  []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}},
	})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Trust, Process: 1, Peer: 2},
		{Kind: tracefmt.Trust, Process: 1, Peer: 2},
		{Kind: tracefmt.Trust, Process: 1, Peer: 2, Time: tracefmt.Unit},
		{Kind: tracefmt.Note, Process: 1, Type: "heard", Time: tracefmt.Unit},
		{Kind: tracefmt.Note, Process: 2, Type: "late", Time: 3 * tracefmt.Unit},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(tracefmt.Stopped)
	r := check(t, complete(m),
		`each x: trust leads to y: note(type = "heard", process = x.process) within 1 leads to suspect(process = y.process) within 1`).Results[0]
	if r.Verdict != analyze.Violated || r.Violations != 3 {
		t.Errorf("%s, %d violations (%s), expected 3", r.Verdict, r.Violations, r.Explanation)
	}
}
