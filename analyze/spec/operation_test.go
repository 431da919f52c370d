package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// operationRun has a process that holds a lock twice, the second time until the end, and a process that reads.
const operationRun = `{"format":"etrace/1","time_unit":"logical","members":[{"name":"a"},{"name":"b"}],"complete":{"default":"all"}}
{"seq":1,"process":"a","kind":"start"}
{"seq":2,"process":"a","kind":"note","type":"enter"}
{"seq":3,"process":"b","kind":"invoke","type":"read"}
{"seq":4,"process":"a","kind":"state","payload":{"holding":true}}
{"seq":5,"process":"b","kind":"return","type":"read","payload":{"ok":true}}
{"seq":6,"process":"a","kind":"state","payload":{"holding":false}}
{"seq":7,"process":"a","kind":"note","type":"leave"}
{"seq":8,"process":"b","kind":"note","type":"enter"}
{"seq":9,"process":"a","kind":"state","payload":{"holding":true}}
{"seq":10,"process":"b","kind":"note","type":"leave"}
{"end":"stopped","events":10}
`

// TestOperation: which events begin and end the operations, 0 for none.
func TestOperation(t *testing.T) {
	for source, want := range map[string][][2]tracefmt.Seq{
		"enter":                         {{2, 8}},
		"note":                          {{2, 7}, {7, 8}, {8, 10}},
		`note(type = "enter")`:          {{2, 8}},
		`n: note where n.process = "b"`: {{8, 10}},
		"return":                        {},
		"read":                          {},
		"invoke|return":                 {{3, 5}},
		`fluent inside(p) from note(type = "enter") to note(type = "leave")`:                              {{2, 7}, {8, 10}},
		`fluent holds(p) while var(p, "holding") == true`:                                                 {{4, 6}, {9, 0}},
		`fluent holds(p) while var(p, "holding") == true fluent alone(p) while holds(p) and not leads(p)`: {{4, 6}, {9, 0}},
		`fluent holds(p) while var(p, "holding") == true # a remark` + "\n" +
			`fluent other(p) while not holds("a")  `: {{1, 4}, {1, 4}, {6, 9}, {6, 9}},
	} {
		runs, err := tracefmt.ReadMemory(strings.NewReader(operationRun))
		if err != nil {
			t.Fatal(err)
		}
		o, err := spec.ParseOperation(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		s, err := complexity.CountDetailed(runs[0], complexity.Detail{Per: []*spec.Operation{o}})
		if err != nil {
			t.Fatal(err)
		}
		got := [][2]tracefmt.Seq{}
		for _, each := range s.Per[0].Each {
			got = append(got, [2]tracefmt.Seq{each.From, each.To})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", source, diff)
		}
	}
}

// TestOperationErrors are one line with the place.
func TestOperationErrors(t *testing.T) {
	for source, want := range map[string]string{
		"":                        `operation "": column 1: expected an event such as return, or a fluent`,
		"sned(type = 1)":          `did you mean "send"?`,
		"send(typ":                `column 9: unexpected end`,
		"send(typ = 1) where":     `column 20: `,
		"fluent f(p) from note":   `column 22: `,
		"fluent f(p) while g(p)":  `column 19: `,
		"never send":              `column 7: unexpected send`,
		strings.Repeat("(", 80):   `column `,
		strings.Repeat("x ", 4e4): `operation `,
		"fluent f(p) while live(p) fluent f(p) while live(p)": `column 27: there is a fluent f already`,
	} {
		_, err := spec.ParseOperation(source)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: got %v, want %s", source, err, want)
		}
	}
}

// TestSpan: of several fluents the last one is the span; what is no fluent is refused.
func TestSpan(t *testing.T) {
	o, err := spec.Span(`fluent holds(p) while leads(p) fluent waits-for-it(p) from note(type = "ask") where not ` +
		`before(holds(process)) to note`)
	if err != nil || o.Name != "waits-for-it" || o.Spans == nil || o.Moments != nil {
		t.Errorf("%+v, %v, want the span waits-for-it", o, err)
	}
	for source, want := range map[string]string{
		"":                        "expected a fluent, such as",
		"return":                  "expected a fluent, such as",
		" waits ":                 "expected a fluent, such as",
		"fluent a(p) while b(p)":  "column 19",
		"fluent a(p) from enter":  "column 18",
		"fluent a(p) while leads": "column 19",
	} {
		if _, err := spec.Span(source); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want a line with %q", source, err, want)
		}
	}
}
