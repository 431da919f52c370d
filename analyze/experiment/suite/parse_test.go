package suite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/suite"
)

// lone is a suite of one case that lacks what it expects; the next line is 7.
const lone = "cases:\n  - name: x\n    scenario:\n      algorithm: bully\n      nodes: 3\n      start: 1\n"

// varied is one whose case has the variable n; the next line is 7.
const varied = "cases:\n  - name: x ${n}\n    scenario:\n      algorithm: bully\n      nodes: ${n}\n      start: 1\n"

// Every error of a suite file has a place, and states what was expected.
func TestErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.yaml", []byte("algorithm: bully\nidz: 1-3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		// The file as a whole.
		{"", "s.yaml:1:1: expected one YAML document with keys such as suite and cases"},
		{"cases: \xff", "s.yaml:1:8: expected UTF-8"},
		{"cases: [", "s.yaml:1:8: a list that is not closed, expected ]"},
		{"- cases\n", "s.yaml:1:1: expected keys and values"},
		{"suite: x\n", "s.yaml:1:1: expected a list of cases"},
		{"suite: [x]\n", "s.yaml:1:8: expected a text or a number, found sequence"},
		{"suite: x\ncase: []\n", `s.yaml:2:1: unknown key "case", did you mean "cases"?`},
		{"suite: x\ncases: []\n", "s.yaml:2:8: expected a list of cases"},
		{"cases:\n  - x\n", "s.yaml:2:5: expected keys and values"},
		// Cases.
		{"cases:\n  - note: x\n", "s.yaml:2:5: a case without a name"},
		{"cases:\n  - name: x\n", "s.yaml:2:5: a case without a scenario"},
		{lone, "s.yaml:2:5: a case that expects nothing, under expect or published"},
		{lone + "    expect: {}\n", "s.yaml:2:5: a case that expects nothing, under expect or published"},
		{lone + "    expects: {messages: 3}\n", `s.yaml:7:5: unknown key "expects", did you mean "expect"?`},
		{lone + "    expect: {messages: 3}\n    name: y\n", `s.yaml:8:5: the key "name" is there twice, expected once; the first is in line 2`},
		{lone + "    for: {n: 1-2}\n    expect: {messages: 3}\n", `s.yaml:2:11: a second case named "x"; let the name show its variables`},
		// Expectations.
		{lone + "    expect: {mesages: 3}\n", `s.yaml:7:14: unknown measure "mesages", did you mean "messages"?`},
		{lone + "    published: {mesages: 3}\n", `s.yaml:7:17: unknown measure "mesages", did you mean "messages"?`},
		{lone + "    expect: {messages: 3*m}\n", `s.yaml:7:24: messages: formula "3*m": column 3: unknown name "m"`},
		{lone + "    expect: {messages: 3 > 2}\n", `s.yaml:7:24: messages: "3 > 2" is true, expected a number or none`},
		{
			lone + "    expect: {messages: 18446744073709551617}\n",
			`s.yaml:7:24: messages: formula "18446744073709551617": the value is beyond the whole numbers of 64 bits`,
		},
		{
			lone + "    expect: {messages: 9223372036854775807 * 2}\n",
			`s.yaml:7:24: messages: formula "9223372036854775807 * 2": the value is beyond the whole numbers of 64 bits`,
		},
		{
			lone + "    for: {n: 18446744073709551617}\n    expect: {messages: n}\n",
			"s.yaml:7:14: 18446744073709551617 is beyond the whole numbers of 64 bits",
		},
		{
			lone + "    for: {n: 1-18446744073709551617}\n    expect: {messages: n}\n",
			`s.yaml:7:14: "1-18446744073709551617": expected numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2`,
		},
		{lone + "    expect: {messages: 1/0}\n", `s.yaml:7:24: messages: formula "1/0": division by zero`},
		{
			lone + "    expect: {messages: 9.0**999}\n",
			`s.yaml:7:24: messages: formula "9.0**999": the value is beyond the whole numbers of 64 bits`,
		},
		{lone + "    expect: {messages: [3]}\n", "s.yaml:7:24: expected a text or a number, found sequence"},
		{lone + "    expect: {messages: }\n", "s.yaml:7:23: expected a text or a number, found null"},
		{lone + "    expect: 3\n", "s.yaml:7:13: expected keys and values"},
		{lone + "    expect: {type.OKK: 3}\n", `s.yaml:7:14: unknown message type of bully "OKK", did you mean "OK"?`},
		{lone + "    expect: {end: quiescence}\n", `s.yaml:7:19: end: unknown value "quiescence", did you mean "quiescent"?`},
		{lone + "    expect: {leader: 9}\n", `s.yaml:7:22: leader: there is no process "9"`},
		{lone + "    expect: {elected: {9: 3}}\n", "s.yaml:7:24: elected: there is no process 9"},
		{lone + "    expect: {elected: {x: 3}}\n", `s.yaml:7:24: elected: "x": expected numbers such as 4`},
		{lone + "    expect: {elected: {1: 9}}\n", `s.yaml:7:27: elected of 1: there is no process "9"`},
		{lone + "    expect: {verdicts: {agrement: satisfied}}\n", `s.yaml:7:25: unknown property "agrement", did you mean "agreement"?`},
		{lone + "    expect: {verdicts: {agreement: ok}}\n", `s.yaml:7:36: agreement: unknown value "ok"`},
		// Variables.
		{varied + "    for: {n: 1-999999999}\n    expect: {messages: 3}\n", `s.yaml:7:14: "1-999999999": expected at most 100000 numbers`},
		{varied + "    for: {n: []}\n    expect: {messages: 3}\n", "s.yaml:7:14: 0 values, expected 1 to 100000"},
		{varied + "    for: []\n    expect: {messages: 3}\n", "s.yaml:7:10: expected variables, such as n: 3-32"},
		{varied + "    for: {min: 3}\n    expect: {messages: 3}\n", `s.yaml:7:11: "min" is no name of a variable`},
		{varied + "    for: {d2: 3, n: 3}\n    expect: {messages: '${m}'}\n", `s.yaml:8:24: messages: formula "m": column 1: unknown name "m"`},
		{varied + "    for: {2n: 3}\n    expect: {messages: 3}\n", `s.yaml:7:11: "2n" is no name of a variable`},
		{varied + "    for: {n: 3}\n    expect: {messages: '${m}'}\n", `s.yaml:8:24: messages: formula "m": column 1: unknown name "m"`},
		{varied + "    for:\n      d: 1-${n}\n      n: 3\n    expect: {messages: 3}\n", `s.yaml:8:10: formula "n": column 1: unknown name "n"`},
		{varied + "    expect: {messages: 3}\n", `s.yaml:2:11: formula "n": column 1: unknown name "n"`},
		{varied + "    for: {n: 3}\n    expect: {leader: '${n'}\n", `s.yaml:8:22: "${n": expected } after ${`},
		{
			varied + "    for: {n: 3}\n    expect: {leader: '${ids(n, 0.5)}'}\n",
			`s.yaml:8:22: formula "ids(n, 0.5)": ids(3, 0.5): expected process ids`,
		},
		{
			varied + "    for: {n: 3}\n    expect: {leader: '${ids(-1, n)}'}\n",
			`s.yaml:8:22: formula "ids(-1, n)": ids(-1, 3): expected process ids`,
		},
		{
			varied + "    for: {n: 3}\n    expect: {leader: '${bitreversal(n, -1)}'}\n",
			`s.yaml:8:22: formula "bitreversal(n, -1)": bitreversal(3, -1): expected process ids`,
		},
		{varied + "    for: {a: 1-1000, b: 1-1000, n: 3}\n    expect: {messages: 3}\n", `s.yaml:2:11: a second case named "x 3"`},
		// Scenarios.
		{varied + "    for: {n: 0-2}\n    expect: {messages: 3}\n", `s.yaml:5:14: nodes: "0": expected a number of processes`},
		{
			strings.Replace(lone, "start: 1", "start: 4", 1) + "    expect: {messages: 3}\n",
			`s.yaml:6:14: start 4@0: there is no process 4, the processes are 1-3 (case "x")`,
		},
		{
			strings.Replace(lone, "bully", "buly", 1) + "    expect: {messages: 3}\n",
			`s.yaml:4:18: unknown algorithm "buly", did you mean "bully"?`,
		},
		{strings.Replace(lone, "start", "stat", 1) + "    expect: {messages: 3}\n", `s.yaml:6:7: unknown key "stat", did you mean "start"?`},
		{"cases:\n  - {name: x, scenario: no.yaml, expect: {messages: 3}}\n", "s.yaml:2:25: scenario: no.yaml: no such file or directory"},
		{"cases:\n  - {name: x, scenario: bad.yaml, expect: {messages: 3}}\n", `bad.yaml:2:1: unknown key "idz", did you mean "ids"?`},
	} {
		if _, err := suite.Parse("s.yaml", []byte(test.text), suite.Known{}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q:\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

func parse(t *testing.T, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse("s.yaml", []byte(text), suite.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestVariables: ranges, lists, words, products, rows, and values that depend
// on earlier ones.
func TestVariables(t *testing.T) {
	for _, test := range []struct {
		variables string
		want      []string
	}{
		{"{n: 2-4}", []string{"2", "3", "4"}},
		{"{n: 7}", []string{"7"}},
		{"{n: [2, 5-6, 0.5, all, -3]}", []string{"2", "5", "6", "0.5", "all", "-3"}},
		{"{a: 1-2, b: [x, y], n: '${a}${b}'}", []string{"1x", "1y", "2x", "2y"}},
		{"{a: 2-3, n: 'begin ${a} of ${a*2}'}", []string{"begin 2 of 4", "begin 3 of 6"}},
		{"{a: 1-2, n: '${10*a}-${10*a+a}'}", []string{"10", "11", "20", "21", "22"}},
		{"[{n: 1}, {n: 3-4}]", []string{"1", "3", "4"}},
		{"{n: '${ids(1, 4)}'}", []string{"1,2,3,4"}},
		{"{n: '${ids(4/2, 0)}'}", []string{"2,1,0"}},
		{"{n: '${bitreversal(1, 8)}'}", []string{"1,5,3,7,2,6,4,8"}}, // 000, 100, 010, 110, 001, ...
		{"{n: '${bitreversal(9, 5)}'}", []string{"5,9,7,6,8"}},       // 000, 100, 010, 001, 011: there are no others
		{"{n: '${bitreversal(7, 7)}'}", []string{"7"}},
		{"{n: '${7/2}'}", []string{"3.5"}},
		{"{n: [inf, nan, 1e3]}", []string{"inf", "nan", "1000"}},
	} {
		s := parse(t, "cases:\n  - name: ${n}\n    for: "+test.variables+"\n    scenario: {nodes: 2}\n    expect: {messages: 0}\n")
		var got []string
		for _, c := range s.Cases {
			got = append(got, c.Name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.variables, diff)
		}
	}
}

// TestSubstitution: all texts of a case see the variables.
func TestSubstitution(t *testing.T) {
	s := parse(t, `suite: Title
description: About.
cases:
  - name: case ${n} of ${who}
    for: {n: [3], who: [all]}
    scenario:
      algorithm: bully
      ids: ${ids(n, 1)}
      down: ${n}
      start: ${who}@${n/2}
      params: {announce: "${who}"}
    expect: {leader: "${n-1}"}
    note: "${n} and ${who}"
`)
	c := s.Cases[0]
	got := []string{s.Title, s.Description, c.Name, c.Entry, c.Place, c.Note, string(c.Scenario.JSON())}
	want := []string{
		"Title", "About.", "case 3 of all", "case ${n} of ${who}", "s.yaml:4:5", "3 and all",
		`{"name":"case 3 of all","algorithm":"bully","ids":"3,2,1","down":"3","start":"all@1.5","params":{"announce":"all"}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestScenarioFile: the name is relative to the suite, and cases do not share
// what they make of it.
func TestScenarioFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte("ids: 1-3\nstart: 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "suite.yaml")
	text := "cases:\n  - {name: 'x ${n}', for: {n: 1-2}, scenario: one.yaml, expect: {messages: '${n}'}}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := suite.Load(file, suite.Known{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"x 1", "x 2"} {
		if got := s.Cases[i].Scenario; got.Name != want || got.Algorithm != "bully" {
			t.Errorf("case %d: name %q, algorithm %q", i, got.Name, got.Algorithm)
		}
	}
	if _, err := suite.Load(filepath.Join(dir, "none.yaml"), suite.Known{}); !os.IsNotExist(err) {
		t.Errorf("got %v, expected that there is no such file", err)
	}
}

func FuzzParseSuite(f *testing.F) {
	f.Add([]byte(lone + "    expect: {messages: 3, end: quiescent, leader: 3, elected: {1-2: 3}, verdicts: {agreement: satisfied}}\n"))
	f.Add([]byte(varied + "    for: [{n: 3-5}, {n: [7, 8]}]\n    expect: {messages: n*(n-1)}\n    published: {messages: 3}\n    note: ${n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return // great products take long
		}
		s, err := suite.Parse("s.yaml", data, suite.Known{})
		if err == nil && len(s.Cases) == 0 {
			t.Error("no cases and no error")
		}
	})
}
