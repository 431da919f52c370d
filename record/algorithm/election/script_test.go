package election_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// TestScripts runs the interaction scripts of testdata. A script has two
// directives; the input of both is a scenario file, to which the arguments add
// keys or change them (announce=all).
//
//	run      tells the run event by event, then its outcome
//	outcome  tells the outcome only: messages by type and fate, end, who
//	         elected whom
//
// ETRACE_UPDATE=1 writes the outputs anew. Do that only after deriving by hand
// what they must be; the comments of the scripts say how.
func TestScripts(t *testing.T) {
	if os.Getenv("ETRACE_UPDATE") == "1" {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range registered() {
		datadriven.Walk(t, filepath.Join("testdata", name), func(t *testing.T, path string) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				return direct(t, path, d)
			})
		})
	}
}

// direct carries out a directive.
func direct(t *testing.T, path string, d *datadriven.TestData) string {
	m, err := script(path, d)
	switch {
	case err != nil:
		return "error: " + strings.ReplaceAll(err.Error(), path+":", "") + "\n"
	case d.Cmd == "run":
		return tell(m) + outcome(m)
	case d.Cmd == "outcome":
		return outcome(m)
	}
	d.Fatalf(t, "unknown directive %s, expected run or outcome", d.Cmd)
	return ""
}

// TestEveryAlgorithmHasScripts keeps a new algorithm from going untold.
func TestEveryAlgorithmHasScripts(t *testing.T) {
	for _, a := range registered() {
		files, _ := filepath.Glob(filepath.Join("testdata", a, "*.txt"))
		if len(files) == 0 {
			t.Errorf("no script in testdata/%s", a)
		}
	}
}

// script runs the scenario of a directive. The algorithm is the folder's.
func script(path string, d *datadriven.TestData) (*tracefmt.Memory, error) {
	file, err := scenario.Parse(path, []byte("algorithm: "+filepath.Base(filepath.Dir(path))+"\n"+d.Input))
	if err != nil {
		return nil, err
	}
	flags, given := &scenario.Scenario{}, map[string]bool{}
	for _, arg := range d.CmdArgs {
		i := slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == arg.Key })
		if i < 0 {
			i, arg = slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == "param" }),
				datadriven.CmdArg{Key: "param", Vals: []string{arg.Key + "=" + strings.Join(arg.Vals, ",")}}
		}
		if err := scenario.Keys[i].Set(flags, strings.Join(arg.Vals, ",")); err != nil {
			return nil, err
		}
		given[arg.Key] = true
	}
	return simulate(scenario.Merge(file, flags, given))
}

// simulate runs a scenario in memory and validates the trace.
func simulate(s *scenario.Scenario) (*tracefmt.Memory, error) {
	c, run, err := s.Simulation()
	if err != nil {
		return nil, err
	}
	m := tracefmt.NewMemory(*run)
	r, err := sim.Run(neverEnding, c, m)
	if err != nil {
		return nil, err
	}
	m.Finish(r.End)
	return m, tracefmt.Validate(m)
}

// teller writes a run as text: one line per event, except that the sends of
// one message to several receivers share a line.
type teller struct {
	strings.Builder
	run  *tracefmt.Run
	time tracefmt.Time
}

func tell(m *tracefmt.Memory) string {
	w := &teller{run: m.Run(), time: -1}
	w.begin(m)
	var sends []*tracefmt.Event // alike, but for their receivers
	for e := range m.Events(1) {
		if len(sends) > 0 && !alike(sends[0], e) {
			w.send(sends)
			sends = nil
		}
		if e.Kind == tracefmt.Send {
			sends = append(sends, e)
		} else {
			w.event(e)
		}
	}
	if len(sends) > 0 {
		w.send(sends)
	}
	return w.String()
}

func alike(a, b *tracefmt.Event) bool {
	return b.Kind == tracefmt.Send && a.Process == b.Process && a.Type == b.Type && a.Time == b.Time && bytes.Equal(a.Payload, b.Payload)
}

// begin tells who is up, and what is known at the start.
func (w *teller) begin(m *tracefmt.Memory) {
	var up, down []tracefmt.ProcessID
	known, table := "", ""
	for i := range m.Run().Members {
		e := m.At(tracefmt.Seq(i + 1))
		if e.Kind == tracefmt.Crash {
			down = append(down, e.Process)
			continue
		}
		up = append(up, e.Process)
		if v, ok := e.Field("elected"); ok && string(v) != "null" {
			known = ", elected=" + string(v)
		}
		if v, ok := e.Field("table"); ok {
			table = "all tables: " + string(v) + "\n" // none differs from the others
		}
	}
	fmt.Fprintf(w, "up: %s%s", w.names(up), known)
	if len(down) > 0 {
		fmt.Fprintf(w, "; down: %s", w.names(down))
	}
	w.WriteString("\n" + table)
}

func (w *teller) names(ps []tracefmt.ProcessID) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = w.run.ProcessName(p)
	}
	return strings.Join(names, " ")
}

// line begins a line of the instant t.
func (w *teller) line(t tracefmt.Time, format string, args ...any) {
	label := ""
	if t != w.time {
		label = "t=" + t.String()
	}
	w.time = t
	fmt.Fprintf(w, "%-6s %s\n", label, fmt.Sprintf(format, args...))
}

func (w *teller) send(sends []*tracefmt.Event) {
	var to []tracefmt.ProcessID
	for _, e := range sends {
		to = append(to, e.Peer)
	}
	e := sends[0]
	w.line(e.Time, "%s sends %s%s to %s", w.run.ProcessName(e.Process), e.Type, fields(e.Payload), w.names(to))
}

func (w *teller) event(e *tracefmt.Event) {
	p, peer := w.run.ProcessName(e.Process), w.run.ProcessName(e.Peer)
	switch e.Kind {
	case tracefmt.Start: // told by begin
	case tracefmt.Crash:
		if e.Seq > tracefmt.Seq(len(w.run.Members)) {
			w.line(e.Time, "%s crashes", p)
		}
	case tracefmt.Recover:
		w.line(e.Time, "%s recovers", p)
	case tracefmt.Receive:
		w.line(e.Time, "%s receives %s%s from %s", p, e.Type, fields(e.Payload), peer)
	case tracefmt.Lose:
		reason, _ := e.Field("reason")
		w.line(e.Time, "lost: %s from %s to %s, %s", e.Type, peer, p, strings.Trim(string(reason), `"`))
	case tracefmt.SetTimer:
		w.line(e.Time, "%s sets timer %s to t=%s", p, e.Type, due(e))
	case tracefmt.CancelTimer:
		w.line(e.Time, "%s stops timer %s", p, e.Type)
	case tracefmt.Timeout:
		w.line(e.Time, "%s: timer %s expires", p, e.Type)
	case tracefmt.Suspect:
		w.line(e.Time, "%s suspects %s", p, orNobody(peer))
	case tracefmt.State:
		w.line(e.Time, "%s: %s", p, strings.Trim(fields(e.Payload), "()"))
	case tracefmt.Note:
		from, _ := e.Field("from")
		to, _ := e.Field("to")
		w.line(e.Time, "loop: the state after seq %s is that after seq %s", to, from)
	default:
		w.line(e.Time, "%s %s", e.Kind, e.Payload)
	}
}

func due(e *tracefmt.Event) tracefmt.Time {
	var t tracefmt.Time
	value, _ := e.Field("due")
	fmt.Sscan(string(value), (*int64)(&t))
	return t
}

func orNobody(name string) string {
	if name == "" {
		return "an unknown coordinator"
	}
	return name
}

// fields writes a payload as (key=value, ...).
func fields(payload []byte) string {
	var all []string
	for key, value := range tracefmt.Fields(payload) {
		all = append(all, string(key)+"="+string(value))
	}
	if all == nil {
		return ""
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// outcome tells how a run ended: messages by type and fate, end, values of elected.
func outcome(m *tracefmt.Memory) string {
	t := count(m)
	var b strings.Builder
	fmt.Fprintf(&b, "messages: %d", t.sent)
	sep := " = "
	for _, typ := range t.types {
		fmt.Fprintf(&b, "%s%s %d", sep, typ, t.byType[typ])
		sep = ", "
	}
	fmt.Fprintf(&b, "\nfate: delivered %d", t.fates["delivered"])
	for _, fate := range []string{"to crashed", "lost", "in flight"} {
		if n := t.fates[fate]; n > 0 {
			fmt.Fprintf(&b, ", %s %d", fate, n)
		}
	}
	fmt.Fprintf(&b, "\nend: %s at t=%s, %d suspicions, depth %d\nelected:", m.Run().End, m.At(tracefmt.Seq(m.Len())).Time, t.suspicions, t.depth)
	for _, e := range t.elected() {
		b.WriteString(" " + e)
	}
	b.WriteByte('\n')
	return b.String()
}
