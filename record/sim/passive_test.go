package sim_test

import (
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// A passive process takes no step: it neither starts nor answers, sets no timer and changes
// no variable, also when it comes back after a crash; what it sends is in the plan.
func TestPassive(t *testing.T) {
	y := newToy()
	y.Wake = func(p *sim.Process) { y.flag.Set(p, true) }
	y.Start = func(p *sim.Process) { y.a.Send(p, 2) }
	y.Receive = func(p *sim.Process, m arrived) {
		y.flag.Set(p, false)
		if m.Type == "A" {
			y.b.Send(p, m.From)
		}
	}
	y.Recover = y.Wake
	c := y.config(2, start(1, 0), start(2, 0), forge(2, 1, "A", "{}", 1), crash(2, 3), recovers(2, 4), start(1, 5))
	c.Passive = []tracefmt.ProcessID{2}
	expect(t, c, `
		0 state 1 {"flag":true}
		0 suspect 1
		0 send 1 peer 2 A m1
		1 send 2 peer 1 A m2
		1 receive 2 peer 1 A m1
		2 receive 1 peer 2 A m2
		2 state 1 {"flag":false}
		2 send 1 peer 2 B m3
		3 crash 2
		3 lose 2 peer 1 B m3 {"reason":"receiver crashed"}
		4 recover 2 {"elected":null,"flag":false,"members":[]}
		5 suspect 1
		5 send 1 peer 2 A m4
		6 receive 2 peer 1 A m4
	`)
	_, r := run(t, c)
	if i := r.Ineffective; len(i) != 1 || i[0].Process != 2 || i[0].Kind != sim.StartProcess || i[0].Why != sim.IsPassive {
		t.Errorf("without effect: %+v, want the start of 2", r.Ineffective)
	}
}

// The fields of a message as one value: that of the only field, an object of all, or nothing.
func TestSaid(t *testing.T) {
	y := newToy()
	c := y.config(3)
	for _, test := range []struct{ typ, value, want, err string }{
		{"A", "", "{}", ""},
		{"ID", "2", `{"id":2}`, ""},
		{"ID", `{"id":2}`, `{"id":2}`, ""},
		{"LIST", `{"n":3,"list":[1,2]}`, `{"n":3,"list":[1,2]}`, ""},
		{"A", "2", "", "A has no fields, expected no value"},
		{"ID", "", "", `the fields of ID are id; expected an object of them, such as {"id":...}`},
		{"ID", "7", "", `field id of ID: "7", expected a process`},
		{"LIST", "3", "", `the fields of LIST are n, list; expected an object of them, such as {"n":...,"list":...}`},
		{"LIST", `{"n":3}`, "", "LIST lacks one of its fields n, list"},
		{"LIST", `{"n":3,"lst":[]}`, "", `unknown field of LIST "lst", did you mean "list"?`},
		{"IDD", "2", "", `unknown message type "IDD", did you mean "ID"?`},
	} {
		got, err := c.Fields(test.typ, test.value)
		switch {
		case test.err == "" && (err != nil || string(got) != test.want):
			t.Errorf("%s:%s: %s, %v, want %s", test.typ, test.value, got, err, test.want)
		case test.err != "" && (err == nil || !strings.HasPrefix(err.Error(), test.err)):
			t.Errorf("%s:%s: %v, want %s", test.typ, test.value, err, test.err)
		}
	}
}
