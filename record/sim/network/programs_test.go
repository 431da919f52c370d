package network_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// programs is a second user of the network, unlike the simulator: programs n1, n2, ... that exchange lines of
// bytes, as over standard input and output. A program answers each line "ping X" with "pong X", and passes
// "pass LINE" on as LINE to the next program. "alarm T" sets an alarm, after which it sends "late" to n1.
type programs struct {
	net    network.Network[[]byte]
	down   []bool
	alarm  []uint64 // order of the alarm that runs, by program
	plan   []string // "crash n2", "n1>n2 line"
	sent   tracefmt.MessageID
	report strings.Builder
}

func newPrograms(n int, c network.Config) *programs {
	s := &programs{down: make([]bool, n+1), alarm: make([]uint64, n+1)}
	s.net = network.New[[]byte](c, n, s)
	return s
}

func name(p tracefmt.ProcessID) string { return fmt.Sprint("n", p) }

func number(name string) tracefmt.ProcessID {
	p, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
	if err != nil && name != "*" {
		panic(name)
	}
	return tracefmt.ProcessID(p)
}

// Armed, TimerName and Gone implement network.User.
func (s *programs) Armed(t network.Item) bool      { return s.alarm[t.Process] == t.Order }
func (s *programs) TimerName(network.Item) string  { return "alarm" }
func (s *programs) Gone(p tracefmt.ProcessID) bool { return s.down[p] }
func (s *programs) say(format string, args ...any) {
	fmt.Fprintf(&s.report, "%v "+format+"\n", append([]any{s.net.Now()}, args...)...)
}

func (s *programs) next(p tracefmt.ProcessID) tracefmt.ProcessID {
	return p%tracefmt.ProcessID(len(s.down)-1) + 1
}

// send hands a line to the network. Its type is its first word.
func (s *programs) send(from, receiver tracefmt.ProcessID, line []byte) {
	s.sent++
	word, _, _ := bytes.Cut(line, []byte(" "))
	copies, lost := s.net.Send(&record.Sent{From: from, To: receiver, Type: string(word), Message: s.sent}, &line)
	switch {
	case lost != "":
		s.say("%s > %s: %s, %s", name(from), name(receiver), line, lost)
	case copies > 1:
		s.say("%s > %s: %s, twice", name(from), name(receiver), line)
	}
}

func (s *programs) receive(p tracefmt.ProcessID, line []byte) {
	if s.down[p] {
		s.say("%s is down: %s", name(p), line)
		return
	}
	s.say("%s: %s", name(p), line)
	word, tail, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case "ping":
		s.send(p, s.next(p), append([]byte("pong "), tail...))
	case "pass":
		s.send(p, s.next(p), tail)
	case "alarm":
		at, _ := network.ParseTime(string(tail))
		s.alarm[p] = s.net.Schedule(s.net.Now()+at, network.Timer, p, 0)
	}
}

func (s *programs) act(action string) {
	verb, tail, _ := strings.Cut(action, " ")
	if from, receiver, ok := strings.Cut(verb, ">"); ok {
		s.send(number(from), number(receiver), []byte(tail))
		return
	}
	switch verb {
	case "crash":
		s.down[number(tail)] = true
		s.alarm[number(tail)] = 0
	case "split":
		s.net.Split(1, [][]tracefmt.ProcessID{{number(tail)}})
	case "heal":
		s.net.Heal(1)
	}
	s.say("%s", action)
}

func (s *programs) run() string {
	for s.net.More() {
		item := s.net.Next()
		switch item.Class {
		case network.Delivery:
			_, line := s.net.Take(item)
			s.receive(item.Process, *line)
		case network.Timer:
			s.alarm[item.Process] = 0
			s.say("%s: alarm", name(item.Process))
			s.send(item.Process, 1, []byte("late"))
		default:
			s.act(s.plan[item.Number])
		}
	}
	return s.report.String()
}

// asked is a chooser that follows a script and writes down what it was asked.
type asked struct {
	script network.ScriptedChoices
	log    *strings.Builder
}

func (a asked) Choose(p network.Point) int {
	var options []string
	for _, o := range p.Options {
		switch {
		case o.Message:
			options = append(options, fmt.Sprintf("%s %s>%s", o.Type, name(o.From), name(o.To)))
		case o.Timer:
			options = append(options, o.Type+" of "+name(o.To))
		default:
			options = append(options, "plan")
		}
	}
	i := a.script.Choose(p)
	fmt.Fprintf(a.log, "%s: %d\n", strings.Join(options, ", or "), i)
	return i
}

// TestPrograms runs the scripts in testdata: each line of a plan is an
// instant and what happens then.
func TestPrograms(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			c, log := configOf(t, d), &strings.Builder{}
			if a, ok := c.Chooser.(asked); ok {
				a.log = log
				c.Chooser = a
			}
			if err := c.Validate(3); err != nil {
				return err.Error()
			}
			s := newPrograms(3, c)
			for line := range strings.Lines(d.Input) {
				when, action, _ := strings.Cut(strings.TrimSpace(line), " ")
				at, err := network.ParseTime(when)
				if err != nil {
					t.Fatal(err)
				}
				class := network.Start
				if slices.Contains([]string{"crash", "split", "heal"}, strings.Fields(action)[0]) {
					class = network.Fault
				}
				s.plan = append(s.plan, action)
				s.net.Schedule(at, class, 0, int64(len(s.plan)-1))
			}
			events := s.run()
			return log.String() + events
		})
	})
}

func configOf(t *testing.T, d *datadriven.TestData) (c network.Config) {
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "reorder":
			c.Reorder = true
		case "loss":
			c.Loss = 1
		case "twice":
			c.Duplicate = 1
		case "drop", "slow": // type, from, to, occurrence, delay
			r := network.Rule{Type: arg.Vals[0], From: number(arg.Vals[1]), To: number(arg.Vals[2]), Drop: arg.Key == "drop"}
			r.Occurrence, _ = strconv.Atoi(arg.Vals[3])
			if len(arg.Vals) > 4 {
				r.Delay, _ = network.ParseTime(arg.Vals[4])
			}
			c.Rules = append(c.Rules, r)
		case "delay-message", "drop-message":
			e := network.Edit{Kind: network.DropMessage}
			id, _ := strconv.Atoi(arg.Vals[0])
			e.Message = tracefmt.MessageID(id)
			if len(arg.Vals) > 1 {
				e.Kind = network.DelayMessage
				e.Delay, _ = network.ParseTime(arg.Vals[1])
			}
			c.Edits = append(c.Edits, e)
		case "choose":
			a := asked{}
			for _, v := range arg.Vals {
				i, _ := strconv.Atoi(v)
				a.script = append(a.script, i)
			}
			c.Chooser = a
		default:
			t.Fatalf("%s: unknown argument %s", d.Pos, arg.Key)
		}
	}
	return c
}
