package sim

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// asking is a chooser that writes down what it is asked and takes the last.
type asking struct{ asked []string }

func (a *asking) Choose(p network.Point) int {
	text := fmt.Sprint(p.Number, ":")
	for _, o := range p.Options {
		switch {
		case o.Message:
			text += fmt.Sprintf(" %s %d>%d", o.Type, o.From, o.To)
		case o.Timer:
			text += fmt.Sprintf(" timer %s of %d", o.Type, o.To)
		default:
			text += fmt.Sprintf(" action at %d", o.To)
		}
	}
	a.asked = append(a.asked, text)
	return len(p.Options) // out of range: the last
}

// chosenConfig: process 1 sends two messages to 2 and one to 3, all set a timer
// for the same instant, and 3 crashes at some time.
func chosenConfig() Config {
	pr := &Protocol{}
	m, timer := pr.Signal("m", ""), pr.Timer("t")
	pr.Start = func(p *Process) {
		p.SetTimer(timer, tracefmt.Unit/4) // sooner than messages arrive, where there is time
		if p.ID() == 1 {
			m.Send(p, 2)
			m.Send(p, 2)
			m.Send(p, 3)
		}
	}
	pr.Timeout = func(*Process, Timer) {}
	c := Config{Protocol: pr, Actions: []Action{{Kind: CrashProcess, At: 9 * tracefmt.Unit, Process: 3}}}
	for i := range 3 {
		c.Members = append(c.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
		c.Actions = append(c.Actions, Action{Kind: StartProcess, Process: tracefmt.ProcessID(i + 1)})
	}
	return c
}

// The options are the heads of the channels and the next action; timers, all
// that are due first, come up when no message is on its way.
func TestChooserOptions(t *testing.T) {
	c := chosenConfig()
	a := &asking{}
	c.Chooser = a
	rec := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	result, err := Run(context.Background(), c, rec)
	if err != nil || result.End != tracefmt.Quiescent {
		t.Fatalf("%+v, %v", result, err)
	}
	want := []string{
		"0: m 1>2 m 1>3 action at 3",
		// 3 crashes: its message is lost at once, its timer is gone. The remaining messages are in one
		// channel, so there is no choice.
		"1: timer t of 1 timer t of 2",
	}
	if !slices.Equal(a.asked, want) {
		t.Errorf("asked %q\nwant %q", a.asked, want)
	}
	received := 0
	for e := range rec.Events(1) {
		switch e.Kind {
		case tracefmt.Receive:
			received++
		case tracefmt.Timeout:
			if received < 2 {
				t.Errorf("seq %d: a timer expires before the messages have arrived", e.Seq)
			}
		}
	}
	// Time goes on with timers only.
	if result.Now != tracefmt.Unit/4 {
		t.Errorf("the run ends at %v, want %v", result.Now, tracefmt.Unit/4)
	}
}

// A script makes its choices, then takes what comes first.
func TestScript(t *testing.T) {
	for script, want := range map[string]string{"": "2 2 3", "0": "2 2 3", "1": "3 2 2", "0,1": "2 3 2", "7": "2 2"} {
		c := chosenConfig()
		var choices network.ScriptedChoices
		for _, r := range script {
			if r != ',' {
				choices = append(choices, int(r-'0'))
			}
		}
		c.Chooser = choices
		rec := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
		if _, err := Run(context.Background(), c, rec); err != nil {
			t.Fatal(err)
		}
		got := ""
		for e := range rec.Events(1) {
			if e.Kind == tracefmt.Receive {
				got += fmt.Sprint(" ", e.Process)
			}
		}
		if got != " "+want {
			t.Errorf("script %q: received at%s, want at %s", script, got, want)
		}
	}
}
