package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// full sets every exported field below v to something, except the named fields.
func full(v reflect.Value, except ...string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		full(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.Contains(" "+strings.Join(except, " ")+" ", " "+f.Name+" ") {
				full(v.Field(i))
			}
		}
	case reflect.Slice:
		// Two elements: a copy of the first alone would pass with one.
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		full(v.Index(0))
		full(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		full(key)
		full(value)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(3)
	default:
		panic(v.Kind())
	}
}

// fullRun is an outcome without a zero field.
func fullRun(t *testing.T, verdict analyze.Verdict) (report.Run, []*analyze.Property) {
	t.Helper()
	p := property("p", analyze.Safety)
	run := report.Run{Trace: "x", RunReport: &analyze.RunReport{}}
	full(reflect.ValueOf(run.RunReport).Elem(), "Results")
	r := &analyze.Result{}
	full(reflect.ValueOf(r).Elem(), "Property")
	r.Property, r.Verdict, run.Verdict = p, verdict, verdict
	run.Results = []*analyze.Result{r}
	run.Origins = map[tracefmt.Seq]tracefmt.Origin{}
	full(reflect.ValueOf(&run.Origins).Elem())
	return run, []*analyze.Property{p}
}

// TestPlainResultsAreOne: equal results are one; a result with another text, or with a witness, stays apart. That is
// so of what is kept, and of what is saved.
func TestPlainResultsAreOne(t *testing.T) {
	p := property("p", analyze.Safety)
	run := func(r analyze.Result) report.Run {
		r.Property = p
		return report.Run{Trace: "x", RunReport: &analyze.RunReport{Run: &tracefmt.Run{}, Results: []*analyze.Result{&r}}}
	}
	base := analyze.Result{Verdict: analyze.Satisfied, Explanation: "e", Examined: 3, MaxSteps: 2}
	changedRun := func(change func(*analyze.Result)) report.Run {
		r := base
		change(&r)
		return run(r)
	}
	for _, tt := range []struct {
		name  string
		run   report.Run
		alike bool
	}{
		{"equal", run(base), true},
		{"another verdict", changedRun(func(r *analyze.Result) { r.Verdict = analyze.Vacuous }), false},
		{"another explanation", changedRun(func(r *analyze.Result) { r.Explanation = "f" }), false},
		{"named", changedRun(func(r *analyze.Result) { r.Named = true }), false},
		{"examined more often", changedRun(func(r *analyze.Result) { r.Examined++ }), false},
		{"more steps", changedRun(func(r *analyze.Result) { r.MaxSteps++ }), false},
		{"with a witness", changedRun(func(r *analyze.Result) { r.Witness = []tracefmt.Seq{1} }), false},
		{"with an obligation", changedRun(func(r *analyze.Result) { r.Open = []string{"o"} }), false},
	} {
		var r report.Report
		r.Add(run(base), tt.run)
		if got := r.Runs[0].Results[0] == r.Runs[1].Results[0]; got != tt.alike {
			t.Errorf("%s: kept as one: %v, want %v", tt.name, got, tt.alike)
		}
		saved, err := report.Save([]report.Run{run(base), tt.run})
		if err != nil {
			t.Fatal(err)
		}
		if got := saved.List[0].Results[0] == saved.List[1].Results[0]; got != tt.alike {
			t.Errorf("%s: saved as one: %v, want %v", tt.name, got, tt.alike)
		}
	}
}

// TestSavedNeeds: what a verdict lacks survives, of one process, of any and of every one.
func TestSavedNeeds(t *testing.T) {
	p := property("p", analyze.Safety)
	r := &analyze.Result{Property: p, Verdict: analyze.Unknown}
	for _, process := range []tracefmt.ProcessID{0, 1, analyze.AnyProcess, analyze.EveryProcess} {
		r.Needs = append(r.Needs, analyze.Need{Process: process, Fact: tracefmt.Fact{Kind: tracefmt.Crash}, From: 1, To: 2})
	}
	saved, err := report.Save(
		[]report.Run{{Trace: "x", RunReport: &analyze.RunReport{Run: &tracefmt.Run{}, Verdict: analyze.Unknown, Results: []*analyze.Result{r}}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	got, err := saved.Runs([]*analyze.Property{p})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Needs, got[0].Results[0].Needs); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// exact compares all that is exported.
var exact = cmp.Options{
	cmpopts.IgnoreUnexported(analyze.Result{}), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *analyze.Property) bool { return a == b }),
}

// TestAddKeepsAll: nothing that is exported of an outcome is lost, whatever fields there are.
func TestAddKeepsAll(t *testing.T) {
	for _, verdict := range []analyze.Verdict{analyze.Violated, analyze.Satisfied} {
		run, _ := fullRun(t, verdict)
		var r report.Report
		r.Add(run, run)
		if diff := cmp.Diff([]report.Run{run, run}, r.Runs, exact); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", verdict, diff)
		}
	}
}

// TestSavedKeepsAll: JSON keeps all of it.
func TestSavedKeepsAll(t *testing.T) {
	run, properties := fullRun(t, analyze.Violated)
	for i := range run.Run.Members {
		run.Run.Members[i].Attributes = []byte(`{"a": 1}`)
	}
	run.Run.Scenario = []byte(`{ "b":2 }`)
	run.Run.Surveyed, run.Run.InferredGaps = nil, nil // a report has neither
	want := []report.Run{run, fine(properties[0], 1), fine(properties[0], 2)}
	saved, err := report.Save(want)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	var read report.Saved
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	got, err := read.Runs(properties)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, exact); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// fine is a run without findings.
func fine(p *analyze.Property, number int) report.Run {
	return report.Run{Trace: "x", RunReport: &analyze.RunReport{
		Run: &tracefmt.Run{Number: number}, Verdict: analyze.Vacuous,
		Results: []*analyze.Result{{Property: p, Verdict: analyze.Vacuous, Explanation: "nothing"}},
	}}
}

// TestSavedIsHostile: what no program has saved is an error.
func TestSavedIsHostile(t *testing.T) {
	p := property("p", analyze.Safety)
	saved, err := report.Save([]report.Run{fine(p, 1)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"etrace.runs/1"`, `"etrace.runs/2"`},
		{`"properties":["p"]`, `"properties":["q"]`},
		{`"trace":0`, `"trace":1`},
		{`"trace":0`, `"trace":-1`},
		{`"head":0`, `"head":3`},
		{`"results":[0]`, `"results":[1]`},
		{`"results":[0]`, `"results":[-1]`},
		{`"results":[0]`, `"results":[-2]`},
		{`"results":[0]`, `"results":[]`},
		{`"verdict":"vacuous","explanation"`, `"verdict":"vacuous","needs":[{"kind":"no"}],"explanation"`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Fatalf("%s: not in %s", change[0], text)
		}
		var read report.Saved
		if err := json.Unmarshal([]byte(changed), &read); err != nil {
			t.Fatal(err)
		}
		if _, err := read.Runs([]*analyze.Property{p}); err == nil {
			t.Errorf("%s is accepted", change[1])
		}
	}
}
