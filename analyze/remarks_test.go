package analyze_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestRemarksOnWords: a recording of a known problem that uses none of its words gets a remark, as do processes
// without any record.
func TestRemarksOnWords(t *testing.T) {
	const nothing = "the run is about mutex, but no property of mutex found anything to examine: " +
		"docs/vocabulary.md lists the words that show it"
	const unsaid = "the run does not say what it is about, and no property found anything to examine: " +
		"docs/vocabulary.md lists the words that show it"
	const silent = "process b records nothing of itself and has no role: it is assumed not to take part, and owes nothing"
	examined := func(r *analyze.Result) { r.Examined++ }
	vacuous := func(*analyze.Result) {}
	absent := func(r *analyze.Result) { r.NotApplicable("no process tells it") }
	note := tracefmt.Event{Seq: 1, Process: 1, Kind: tracefmt.Note, Type: "ENTER"}
	for _, tt := range []struct {
		name string
		run  tracefmt.Run
		does func(*analyze.Result)
		want []string
	}{
		{"examined", tracefmt.Run{Problem: "mutex"}, examined, []string{silent}},
		{"vacuous", tracefmt.Run{Problem: "mutex"}, vacuous, []string{nothing, silent}},
		{"not applicable", tracefmt.Run{Problem: "mutex"}, absent, []string{nothing, silent}},
		{"simulated", tracefmt.Run{Problem: "mutex", Source: tracefmt.Simulated}, vacuous, nil},
		{"another problem", tracefmt.Run{Problem: "raft"}, vacuous, []string{silent}},
		{"no problem", tracefmt.Run{}, vacuous, []string{unsaid}},
		{"no problem, but examined", tracefmt.Run{}, examined, nil},
		{"a history", tracefmt.Run{Problem: "register"}, vacuous, []string{strings.ReplaceAll(nothing, "mutex", "register"), silent}},
		{"all but timers", tracefmt.Run{Problem: "mutex", Completeness: declared(t, "all,timers=none")}, examined, []string{silent}},
		{
			"no record",
			tracefmt.Run{Problem: "mutex", Completeness: declared(t, "all,b:none")},
			examined,
			[]string{"nothing is recorded of the member b"},
		},
		{"messages", tracefmt.Run{Problem: "mutex", Completeness: declared(t, "all,b:state=none")}, examined, nil},
		{"a gap", tracefmt.Run{Problem: "mutex", Completeness: declared(t, "all,gap=b@1-")}, examined, nil},
		{"the gap of another", tracefmt.Run{Problem: "mutex", Completeness: declared(t, "all,gap=a@1-")}, examined, []string{silent}},
		{"roles", tracefmt.Run{Problem: "mutex", Members: []tracefmt.Member{
			{Name: "a"},
			{Name: "b", Attributes: []byte(`{"role":"client"}`)},
		}}, examined, nil},
	} {
		if tt.run.Members == nil {
			tt.run.Members = []tracefmt.Member{{Name: "a"}, {Name: "b"}}
		}
		m := tracefmt.NewMemory(tt.run)
		_ = m.Write(&note)
		p := &analyze.Property{Problem: "mutex", About: []string{"register"}, New: func(*tracefmt.Run) analyze.Monitor { return script(tt.does) }}
		report, err := analyze.Check(m, []*analyze.Property{p}, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(report.Remarks, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, report.Remarks, tt.want)
		}
	}
}

func declared(t *testing.T, tells string) *tracefmt.Completeness {
	t.Helper()
	parsed, err := tracefmt.ParseCompleteness(tells)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
