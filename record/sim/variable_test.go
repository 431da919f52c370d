package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// logged has a term and a log on stable storage, and a count that is not.
type logged struct {
	sim.Protocol
	term  sim.Var[sim.Term]
	log   sim.Var[sim.List[string]]
	count sim.Var[int]
	news  sim.Message[dated]
}

type dated struct{ epoch sim.Term }

func newLogged() *logged {
	l := &logged{}
	l.term = sim.Declare[sim.Term](&l.Protocol, "term", "", sim.Stable)
	l.log = sim.Declare[sim.List[string]](&l.Protocol, "log", "", sim.Stable, sim.Indexed)
	l.count = sim.Declare[int](&l.Protocol, "count", "")
	l.news = sim.DeclareMessage[dated](&l.Protocol, "NEWS", "")
	return l
}

func (l *logged) config(actions ...sim.Action) sim.Config {
	return sim.Config{Protocol: &l.Protocol, Actions: actions, Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}}}
}

// TestIndexedAndStable: only the changed items of an indexed list are recorded, null for a removed one. Stable
// variables survive a crash.
func TestIndexedAndStable(t *testing.T) {
	l := newLogged()
	l.Start = func(p *sim.Process) {
		set := func(items ...string) {
			l.log.Set(p, sim.ListOf(items...))
			p.Suspect(2)
		}
		l.count.Set(p, 3)
		set("a", "b")
		set("a", "b", "c")
		set("a", "x")
		set("a", "x") // no change
		l.log.Set(p, sim.ListOf("a"))
		set("a", "x") // no change since what was recorded
		set()
		set("z")
	}
	expect(t, l.config(start(1, 0), crash(1, 1), recovers(1, 2), crash(2, 3), recovers(2, 4)), `
		0 state 1 {"log[1]":"a","log[2]":"b","count":3}
		0 suspect 1 peer 2
		0 state 1 {"log[3]":"c"}
		0 suspect 1 peer 2
		0 state 1 {"log[2]":"x","log[3]":null}
		0 suspect 1 peer 2
		0 suspect 1 peer 2
		0 suspect 1 peer 2
		0 state 1 {"log[1]":null,"log[2]":null}
		0 suspect 1 peer 2
		0 state 1 {"log[1]":"z"}
		0 suspect 1 peer 2
		1 crash 1
		2 recover 1 {"term":0,"log[1]":"z","count":0}
		3 crash 2
		4 recover 2 {"term":0,"log[1]":null,"count":0}`)
	_, variables, _ := l.Describe()
	if want := [][2]string{{"term", ""}, {"log[i]", ""}, {"count", ""}}; !cmp.Equal(variables, want) {
		t.Errorf("described as %q", variables)
	}
}

// TestTerm: the events of a process carry its term from the one on that assigns
// it; a message carries its own.
func TestTerm(t *testing.T) {
	l := newLogged()
	quiet := l.Signal("QUIET", "")
	l.Start = func(p *sim.Process) {
		quiet.Send(p, 2)
		l.term.Set(p, 4)
		quiet.Send(p, 2)
		l.news.Send(p, 2, dated{9})
	}
	c := l.config(start(1, 0), crash(1, 5))
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range m.Events(3) {
		got = append(got, e.Kind.String()+" "+string(rune('0'+e.Term)))
	}
	want := []string{"send 0", "state 4", "send 4", "send 9", "receive 0", "receive 4", "receive 9", "crash 4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
