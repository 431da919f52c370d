package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"etrace/fixtures/growth"
	"etrace/record"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/tracefile"
)

func newLive(t testing.TB, run tracefmt.Run, limit record.Limit) *record.Live {
	t.Helper()
	rec, err := record.NewLive(run, record.Everything(), limit)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// dumped returns what a recorder has, which must be a well-formed trace.
func dumped(t testing.TB, rec *record.Live) *tracefmt.Memory {
	t.Helper()
	m := new(tracefmt.Memory)
	if err := rec.Dump(m, tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	if err := tracefmt.Validate(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// lines is a run as JSON Lines.
func lines(t testing.TB, m *tracefmt.Memory) string {
	t.Helper()
	var b bytes.Buffer
	if err := tracefmt.Copy(tracefmt.NewEncoder(&b), m, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLiveKinds: each method records an event of its kind, in virtual time.
func TestLiveKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := newLive(t, tracefmt.Run{Name: "all", Problem: tracefmt.Raft}, record.Limit{})
		a, b := rec.Process("a"), rec.Process("b")
		a.Start(slog.String("role", "follower"))
		b.Start()
		a.SetTimer("election", 3*time.Second)
		time.Sleep(time.Second)
		a.CancelTimer("election")
		a.SetTimer("election", time.Second)
		time.Sleep(time.Second)
		a.Timeout("election")
		a.SetTerm(2)
		a.Suspect("b")
		a.Trust("b")
		first := a.Send("b", "VOTE?", slog.Group("entry", slog.Int("index", 3)), slog.Any("to", []string{"x"}))
		second := a.Send("b", "VOTE?")
		time.Sleep(time.Millisecond)
		b.Receive(first, slog.Bool("granted", true))
		rec.Lose(second, "dropped")
		b.ReceiveFrom("c", "HELLO")
		b.State(slog.Any("votedFor", nil), slog.Duration("lease", time.Second), slog.Float64("load", 0.5))
		a.Invoke("write", slog.String("key", "x"))
		a.Return("write")
		a.Note("hello", slog.Uint64("n", 1))
		b.Crash()
		b.Recover(slog.Int("term", 0))
		rec.Partition([]string{"a"}, []string{"b", "c"})
		rec.Heal()
		b.Halt()
		const want = `{"format":"etrace/1","name":"all","problem":"raft","source":"recorded","time_unit":"ns","started_at":"2000-01-01T00:00:00Z","members":[{"name":"a","position":1},{"name":"b","position":2},{"name":"c","position":3}],"complete":{"default":"all","processes":{"c":{"default":"none"}}}}
{"seq":1,"time":0,"process":"a","kind":"start","lamport":1,"payload":{"role":"follower"}}
{"seq":2,"time":0,"process":"b","kind":"start","lamport":1}
{"seq":3,"time":0,"process":"a","kind":"set-timer","type":"election","lamport":2,"payload":{"due":3000000000}}
{"seq":4,"time":1000000000,"process":"a","kind":"cancel-timer","type":"election","lamport":3}
{"seq":5,"time":1000000000,"process":"a","kind":"set-timer","type":"election","lamport":4,"payload":{"due":2000000000}}
{"seq":6,"time":2000000000,"process":"a","kind":"timeout","type":"election","lamport":5}
{"seq":7,"time":2000000000,"process":"a","kind":"suspect","peer":"b","lamport":6,"term":2}
{"seq":8,"time":2000000000,"process":"a","kind":"trust","peer":"b","lamport":7,"term":2}
{"seq":9,"time":2000000000,"process":"a","kind":"send","type":"VOTE?","peer":"b","message":1,"lamport":8,"term":2,"payload":{"entry":{"index":3},"to":["x"]}}
{"seq":10,"time":2000000000,"process":"a","kind":"send","type":"VOTE?","peer":"b","message":2,"lamport":9,"term":2}
{"seq":11,"time":2001000000,"process":"b","kind":"receive","type":"VOTE?","peer":"a","message":1,"cause":9,"lamport":9,"term":2,"payload":{"granted":true}}
{"seq":12,"time":2001000000,"process":"b","kind":"lose","type":"VOTE?","peer":"a","message":2,"cause":10,"lamport":10,"term":2,"payload":{"reason":"dropped"}}
{"seq":13,"time":2001000000,"process":"b","kind":"receive","type":"HELLO","peer":"c","message":3,"cause":null,"lamport":10}
{"seq":14,"time":2001000000,"process":"b","kind":"state","lamport":11,"payload":{"votedFor":null,"lease":1000000000,"load":0.5}}
{"seq":15,"time":2001000000,"process":"a","kind":"invoke","type":"write","lamport":10,"term":2,"payload":{"key":"x"}}
{"seq":16,"time":2001000000,"process":"a","kind":"return","type":"write","lamport":11,"term":2}
{"seq":17,"time":2001000000,"process":"a","kind":"note","type":"hello","lamport":12,"term":2,"payload":{"n":1}}
{"seq":18,"time":2001000000,"process":"b","kind":"crash","lamport":12}
{"seq":19,"time":2001000000,"process":"b","kind":"recover","lamport":13,"payload":{"term":0}}
{"seq":20,"time":2001000000,"kind":"partition","payload":{"groups":[["a"],["b","c"]]}}
{"seq":21,"time":2001000000,"kind":"heal"}
{"seq":22,"time":2001000000,"process":"b","kind":"halt","lamport":14}
{"end":"stopped","events":22}
`
		if got := lines(t, dumped(t, rec)); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
}

// TestLiveNonsense: what cannot be recorded is an error that names what was expected, and no panic.
func TestLiveNonsense(t *testing.T) {
	members := tracefmt.Run{Members: []tracefmt.Member{{Name: "n1"}, {Name: "n2"}}}
	for name, tt := range map[string]struct {
		do   func(*record.Live)
		want string
	}{
		"process":   {func(r *record.Live) { r.Process("n9").Start() }, `unknown process "n9", did you mean "n1"?`},
		"no name":   {func(r *record.Live) { r.Process("").Start() }, `unknown process ""`},
		"peer":      {func(r *record.Live) { r.Process("n1").Send("n3", "X") }, `unknown process "n3"`},
		"sender":    {func(r *record.Live) { r.Process("n1").ReceiveFrom("n3", "X") }, `unknown process "n3"`},
		"stamp":     {func(r *record.Live) { r.Process("n1").Receive(record.Stamp{}) }, "a stamp of no message"},
		"timer":     {func(r *record.Live) { r.Process("n1").SetTimer("x", -1) }, "expires after -1ns"},
		"term":      {func(r *record.Live) { r.Process("n1").SetTerm(-1) }, "term -1 of n1"},
		"number":    {func(r *record.Live) { r.Process("n1").Note("x", slog.Float64("f", math.NaN())) }, "field f: NaN"},
		"value":     {func(r *record.Live) { r.Process("n1").Note("x", slog.Any("f", func() {})) }, "field f: json"},
		"twice":     {func(r *record.Live) { r.Process("n1").State(slog.Int("a", 1), slog.Int("a", 2)) }, "two fields are called a"},
		"own":       {func(r *record.Live) { r.Process("n1").State(slog.Int("log", 1)) }, "field log, which is etrace's own"},
		"empty":     {func(r *record.Live) { r.Process("n1").State() }, "no variable"},
		"to nobody": {func(r *record.Live) { r.Process("n1").Send("", "X") }, "send of n1 without the other process"},
		"no timer":  {func(r *record.Live) { r.Process("n1").SetTimer("", 1) }, "set-timer of n1 without a name"},
		"split":     {func(r *record.Live) { r.Partition([]string{"zz"}) }, `unknown process "zz"`},
		"unnamed":   {func(r *record.Live) { r.Process("n1").Note("x", slog.Int("", 1)) }, "a field without a name"},
		"lost":      {func(r *record.Live) { r.Lose(record.Stamp{}, "dropped") }, "lose: a stamp of no message"},
		"joins":     {func(r *record.Live) { r.Join(tracefmt.Member{}).Start() }, `a member called ""`},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newLive(t, members, record.Limit{})
			rec.Process("n1").Start()
			tt.do(rec)
			if err := rec.Err(); err == nil || !strings.Contains(err.Error(), "after 1 event: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, expected an error with %q", err, tt.want)
			}
			if err := rec.Dump(new(tracefmt.Memory), tracefmt.Stopped); err == nil {
				t.Error("it is written down all the same")
			}
		})
	}
	rec := newLive(t, tracefmt.Run{}, record.Limit{}) // any name becomes a member
	rec.Process("").Start()
	if err := rec.Err(); err == nil || !strings.HasSuffix(err.Error(), `a member called "", expected a name in UTF-8`) {
		t.Errorf("error %v of a process without a name", err)
	}
	if _, err := record.NewLive(members, nil, record.Limit{}); err == nil {
		t.Error("nobody said what is recorded, and no error")
	}
	if _, err := record.NewLive(tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "a"}}}, record.Everything(),
		record.Limit{}); err == nil {
		t.Error("two members of one name, and no error")
	}
}

// TestLiveJoin: a member may join a run whose members were declared.
func TestLiveJoin(t *testing.T) {
	rec := newLive(t, tracefmt.Run{Members: []tracefmt.Member{{Name: "n1", Position: 1}}}, record.Limit{})
	rec.Process("n1").Start()
	rec.Join(tracefmt.Member{Name: "n2", Position: 2}).Start()
	rec.Process("n1").Send("n2", "HELLO")
	if m := dumped(t, rec); len(m.Run().Members) != 2 || m.Len() != 3 {
		t.Errorf("got\n%s", lines(t, m))
	}
}

// TestLiveUntil: what a process records after its incarnation has ended is no event.
func TestLiveUntil(t *testing.T) {
	rec := newLive(t, tracefmt.Run{}, record.Limit{})
	ctx, end := context.WithCancel(t.Context())
	p := rec.Process("a").Until(ctx)
	p.Start()
	end()
	rec.Process("a").Crash()
	p.State(slog.Int("x", 1))
	p.SetTimer("x", 1)
	s := p.Send("b", "M")
	rec.Process("c").Receive(s)
	if s.From != "" {
		t.Errorf("a stamp %v of a process that has ended", s)
	}
	rec.Process("a").Recover()
	if m := dumped(t, rec); m.Len() != 3 {
		t.Errorf("got\n%s", lines(t, m))
	}
}

// TestLiveNil: a nil recorder takes all calls.
func TestLiveNil(t *testing.T) {
	var rec *record.Live
	p := rec.Process("a")
	if allocs := testing.AllocsPerRun(100, func() {
		p.Start()
		p.SetTerm(1)
		p.SetTimer("x", 1)
		p.Receive(p.Send("b", "X", slog.Int("n", 1)))
		rec.Lose(record.Stamp{From: "a"}, "dropped")
		rec.Partition()
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if err := rec.Dump(new(tracefmt.Memory), tracefmt.Stopped); err != nil || rec.Err() != nil {
		t.Error(err, rec.Err())
	}
}

// TestLawLiveConcurrent: whatever goroutines record at once is a well-formed trace, in which each message that is
// received has its send as cause.
func TestLawLiveConcurrent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, steps := rapid.IntRange(1, 6).Draw(rt, "processes"), rapid.IntRange(1, 300).Draw(rt, "steps")
		rec := newLive(t, tracefmt.Run{}, record.Limit{})
		input := make([]chan record.Stamp, n)
		for i := range input {
			input[i] = make(chan record.Stamp, n*steps)
		}
		var list sync.WaitGroup
		for i := range n {
			list.Go(func() {
				p := rec.Process(fmt.Sprint("n", i))
				p.Start()
				for k := range steps {
					to := (i + k) % n
					input[to] <- p.Send(fmt.Sprint("n", to), "M", slog.Int("k", k))
					select {
					case s := <-input[i]:
						p.Receive(s)
					default:
					}
				}
			})
		}
		list.Wait()
		m := dumped(t, rec)
		for e, err := range m.Events(1) {
			if err != nil || e.Kind == tracefmt.Receive && e.Cause == 0 {
				t.Fatal(e, err)
			}
		}
	})
}

// TestLawStampReturns: a stamp goes through text and a header of HTTP, whatever the names.
func TestLawStampReturns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringN(1, 20, -1)
		rec := newLive(t, tracefmt.Run{}, record.Limit{})
		p := rec.Process(name.Draw(rt, "from"))
		p.SetTerm(rapid.Int64Range(0, 9).Draw(rt, "term"))
		s := p.Send(name.Draw(rt, "to"), rapid.String().Draw(rt, "type"))
		back, err := record.ParseStamp([]byte(s.String()))
		if err != nil || back != s {
			rt.Fatalf("%q becomes %+v, %v; expected %+v", s, back, err, s)
		}
		h := http.Header{}
		h.Set(record.StampHeader, s.String())
		if strings.ContainsAny(s.String(), " \r\n\x7f") || h.Get(record.StampHeader) != s.String() {
			rt.Fatalf("%q is no value of a header", s)
		}
	})
}

func FuzzParseStamp(f *testing.F) {
	f.Add([]byte("17.42.9.0.n1.n2.VOTE"))
	f.Add([]byte("..."))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := record.ParseStamp(text)
		if err != nil {
			return
		}
		if back, err := record.ParseStamp([]byte(s.String())); err != nil || back != s {
			t.Errorf("%q becomes %+v, and that %+v (%v)", text, s, back, err)
		}
	})
}

// TestLiveOverHTTP: the stamp travels in a header between two programs. Of the other one, nothing is recorded here.
func TestLiveOverHTTP(t *testing.T) {
	client, server := newLive(t, tracefmt.Run{}, record.Limit{}), newLive(t, tracefmt.Run{}, record.Limit{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stamp, err := record.ParseStamp([]byte(r.Header.Get(record.StampHeader)))
		if err != nil {
			t.Error(err)
		}
		server.Process("server").Receive(stamp)
	}))
	defer s.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	p := client.Process("client")
	p.Note("begins")
	request.Header.Set(record.StampHeader, p.Send("server", "GET").String())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	m := dumped(t, server)
	joined := imported(t, map[string]*record.Live{"client.jsonl": client, "server.jsonl": server})
	if !strings.Contains(joined, `"kind":"receive","type":"GET","peer":"client","message":1,"cause":2,"lamport":3`) {
		t.Errorf("the two recordings are joined to\n%s", joined)
	}
	if e := m.At(1); m.Len() != 1 || e.Kind != tracefmt.Receive || e.Type != "GET" || e.Lamport != 3 || e.Cause != 0 {
		t.Errorf("got\n%s", lines(t, m))
	}
	if level := m.Run().Completeness.Processes["client"].Default; level != tracefmt.None {
		t.Errorf("of client %v is recorded here, expected none", level)
	}
}

// imported is one run of what several programs recorded.
func imported(t *testing.T, recs map[string]*record.Live) string {
	t.Helper()
	var inputs []*interop.Input
	for _, name := range slices.Sorted(maps.Keys(recs)) {
		input, err := interop.NewInput(name, strings.NewReader(lines(t, dumped(t, recs[name]))))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input)
	}
	format, err := formats.Builtin().Lookup("recorders")
	if err != nil {
		t.Fatal(err)
	}
	m := new(tracefmt.Memory)
	if _, err := interop.Import(t.Context(), format, interop.Join(inputs...), m, interop.Settings{}); err != nil {
		t.Fatal(err)
	}
	return lines(t, m)
}

// TestLiveLimit: of a flight recorder the last events remain, and the others are declared missing.
func TestLiveLimit(t *testing.T) {
	rec := newLive(t, tracefmt.Run{}, record.Limit{Events: 1000})
	a, b, c := rec.Process("a"), rec.Process("b"), rec.Process("c")
	c.Start()
	var early record.Stamp
	for i := range 50_000 {
		s := a.Send("b", "M", slog.Int("i", i))
		if i == 0 {
			early = s
			continue
		}
		b.Receive(s)
	}
	b.Receive(early)
	m := dumped(t, rec)
	if m.Len() != 1000 {
		t.Errorf("%d events, expected the last 1000", m.Len())
	}
	if last := m.At(1000); last.Message != 1 || last.Cause != 0 {
		t.Errorf("the send of %+v is no longer kept, expected no cause", last)
	}
	gaps := m.Run().Completeness.Gaps
	if len(gaps) != 3 || gaps[0].Process != "a" || gaps[0].From != 0 || gaps[0].To == 0 || gaps[0].Dropped+gaps[1].Dropped != 99_000 ||
		gaps[2] != (tracefmt.Gap{Process: "c", Dropped: 1}) {
		t.Errorf("gaps %+v", gaps)
	}
}

// TestLiveLimitOfTime: what is older is forgotten.
func TestLiveLimitOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := newLive(t, tracefmt.Run{}, record.Limit{For: 10 * time.Second})
		p := rec.Process("a")
		for range 100 {
			p.Note("tick")
			time.Sleep(time.Second)
		}
		if m := dumped(t, rec); m.Len() != 10 || m.Run().Completeness.Gaps[0].Dropped != 90 {
			t.Errorf("%d events of 10 s, gaps %+v", m.Len(), m.Run().Completeness.Gaps)
		}
	})
}

// TestLiveMemory: a million events in at most 128 MB.
func TestLiveMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rec := newLive(t, tracefmt.Run{}, record.Limit{})
	a, b := rec.Process("a"), rec.Process("b")
	for i := range 500_000 {
		b.Receive(a.Send("b", "APPEND", slog.Int("index", i), slog.String("value", "twenty letters or so")))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took := after.HeapAlloc - before.HeapAlloc; took > 128<<20 {
		t.Errorf("%d MB for a million events, expected at most 128", took>>20)
	}
	runtime.KeepAlive(rec)
}

// TestLiveToFiles: a trace in a database or in JSON Lines holds all, or, after an error, nothing.
func TestLiveToFiles(t *testing.T) {
	for _, name := range []string{"run.db", "run.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		rec := newLive(t, tracefmt.Run{}, record.Limit{})
		rec.Process("a").Start()
		dump := func(to tracefmt.Sink) error { return rec.Dump(to, tracefmt.Stopped) }
		if err := tracefile.Record(path, dump); err != nil {
			t.Fatal(err)
		}
		trace, err := tracefile.Open(path, tracefile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for got, err := range trace.Recordings(tracefile.Runs{All: true}) {
			if err != nil || got.Run().Events != 1 {
				t.Error(got.Run().Events, err)
			}
		}
		trace.Close()
		rec.Process("a").SetTerm(-1)
		if err := tracefile.Record(filepath.Join(t.TempDir(), name), dump); err == nil {
			t.Error("no error of a recorder with one")
		}
		var absent *record.Live
		unwritten := filepath.Join(t.TempDir(), name)
		err = tracefile.Record(unwritten, func(sink tracefmt.Sink) error { return absent.Dump(sink, tracefmt.Stopped) })
		if _, missing := os.Stat(unwritten); err != nil || !errors.Is(missing, fs.ErrNotExist) {
			t.Errorf("a nil recorder writes a file: %v, %v", err, missing)
		}
	}
}

// TestHandler: lines of slog become events and notes, and reach the next handler.
func TestHandler(t *testing.T) {
	rec := newLive(t, tracefmt.Run{}, record.Limit{})
	var text bytes.Buffer
	n1 := slog.New(rec.Process("n1").Handler(slog.NewTextHandler(&text, nil)))
	n1.Info("asking", "kind", "send", "type", "VOTE?", "peer", "n2", "term", 1)
	n1.Info("heard", "kind", "receive", "type", "VOTE", "peer", "n2")
	n1.With("term", 1).Info("leading now", "kind", "state", "role", "leader")
	n1.WithGroup("disk").Warn("slow", "ms", 7)
	n1.Debug("not for the text", "kind", "no kind")
	var got []string
	for e, err := range dumped(t, rec).Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %s %d %s", e.Kind, e.Type, e.Peer, e.Payload))
	}
	want := []string{
		`send VOTE? 2 {"term":1}`, `receive VOTE 2 `, `state  0 {"term":1,"role":"leader"}`,
		`note slow 0 {"disk":{"ms":7}}`, `note not for the text 0 {"kind":"no kind"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Count(text.String(), "\n") != 4 || !strings.Contains(text.String(), "disk.ms=7") {
		t.Errorf("the next handler got\n%s", &text)
	}
}

// BenchmarkLive is what an event costs the program, beside a line of slog to a file of text. On a busy machine cpu-ns/op counts.
func BenchmarkLive(b *testing.B) {
	measure := func(b *testing.B, event func(i int)) {
		b.ReportAllocs()
		before := growth.CPU(b)
		for i := range b.N {
			event(i)
		}
		b.ReportMetric(float64(growth.CPU(b)-before)/float64(b.N), "cpu-ns/op")
	}
	b.Run("send", func(b *testing.B) {
		rec := newLive(b, tracefmt.Run{}, record.Limit{Events: 1 << 16})
		p := rec.Process("n1")
		measure(b, func(i int) { p.Send("n2", "APPEND", slog.Int("index", i), slog.String("value", "x")) })
	})
	b.Run("state", func(b *testing.B) {
		p := newLive(b, tracefmt.Run{}, record.Limit{Events: 1 << 16}).Process("n1")
		measure(b, func(i int) { p.State(slog.String("role", "leader"), slog.Int("term", i)) })
	})
	b.Run("slog", func(b *testing.B) {
		file, err := os.Create(filepath.Join(b.TempDir(), "slog.txt"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		log := slog.New(slog.NewTextHandler(file, nil))
		measure(b, func(i int) {
			log.LogAttrs(b.Context(), slog.LevelInfo, "send", slog.String("peer", "n2"), slog.String("type", "APPEND"),
				slog.Int("index", i), slog.String("value", "x"))
		})
	})
}

// BenchmarkLiveDump is a flight recorder of a million events: the memory that they take, and how long they are read.
func BenchmarkLiveDump(b *testing.B) {
	const events = 1_000_000
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := memory()
	rec := newLive(b, tracefmt.Run{}, record.Limit{Events: events})
	for i := range events + events/2 {
		rec.Process("n"+strconv.Itoa(i%5)).State(slog.String("role", "leader"), slog.Int("term", i))
	}
	held := memory() - before
	began := growth.CPU(b)
	for b.Loop() {
		if err := rec.Dump(tracefmt.Discard{}, tracefmt.Stopped); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(growth.CPU(b)-began)/float64(b.N)/1e6, "cpu-ms/op")
	b.ReportMetric(float64(held)/(1<<20), "MB")
}

// TestDumpWhileRecording: a dump has the events of its moment, though the recorder goes round its memory meanwhile.
func TestDumpWhileRecording(t *testing.T) {
	rec := newLive(t, tracefmt.Run{}, record.Limit{Events: 5000})
	p := rec.Process("n1")
	next := 0
	record := func(events int) {
		for range events {
			p.State(slog.Int("n", next))
			next++
		}
	}
	record(20_000)
	for range 3 {
		last := next - 1
		var got []int
		sink := &writing{func(e *tracefmt.Event) {
			raw, _ := e.Field("n")
			n, err := strconv.Atoi(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
			record(10)
		}}
		if err := rec.Dump(sink, tracefmt.Stopped); err != nil {
			t.Fatal(err)
		}
		for i, n := range got {
			if n != last-4999+i {
				t.Fatalf("event %d of the dump is %d, expected %d", i+1, n, last-4999+i)
			}
		}
		if len(got) != 5000 {
			t.Errorf("%d events, expected 5000", len(got))
		}
	}
}

// writing is a sink that calls a function with each event.
type writing struct{ write func(*tracefmt.Event) }

func (w *writing) Begin(*tracefmt.Run) error { return nil }

func (w *writing) Write(e *tracefmt.Event) error {
	w.write(e)
	return nil
}

func (w *writing) Finish(tracefmt.End) error { return nil }

// hostile is a value whose methods call the recorder, or panic.
type hostile struct{ log *slog.Logger }

func (h *hostile) LogValue() slog.Value {
	h.log.Info("within")
	return slog.StringValue("hostile")
}

type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// TestHandlerTakesAnyLine: no line of a log spoils a recording.
func TestHandlerTakesAnyLine(t *testing.T) {
	rec := newLive(t, tracefmt.Run{}, record.Limit{})
	log := slog.New(rec.Process("n1").Handler(nil))
	log.With("a", 1).Info("twice", "a", 2)
	log.WithGroup("g").With("a", 1).Info("group twice", "b", 2)
	log.Info("inline", slog.Group("", slog.Int("x", 1)), slog.Attr{})
	log.Info("own", "log", 1, "causes", 2, "nan", math.NaN(), "func", func() {})
	log.Info("nil error", "err", (*nilError)(nil))
	log.Info("send", "kind", "send")
	log.Info("state", "kind", "state")
	log.Info("bad \xff", "kind", "note", "type", "t\xff")
	log.Info("bad \xff")
	log.Info("calls back", "value", &hostile{log})
	var got []string
	for e, err := range dumped(t, rec).Events(1) {
		if err != nil || e.Kind != tracefmt.Note {
			t.Error(e, err)
		}
		got = append(got, e.Type+" "+string(e.Payload))
	}
	for _, want := range []string{
		`twice {"a":2}`, `group twice {"g":{"a":1,"b":2}}`, `inline {"x":1}`, "within ",
		`calls back {"value":"hostile"}`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestLiveHostileStamps: a stamp comes from outside, and the recording stays well-formed whatever it contains.
func TestLiveHostileStamps(t *testing.T) {
	for _, text := range []string{"77.99.5.0.n1.n2.X", "1.1.1000000000000000000.0.zz.n1.X", "1.1.5.0.n1.n2.OTHER", "5.6.7.0.zz.n9.X"} {
		rec := newLive(t, tracefmt.Run{}, record.Limit{})
		n1 := rec.Process("n1")
		n1.Send("n2", "X")
		s, err := record.ParseStamp([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rec.Process("n2").Receive(s)
		n1.Receive(s)
		dumped(t, rec)
	}
	if _, err := record.ParseStamp([]byte("1.1.9223372036854775807.0.zz.n1.X")); err == nil {
		t.Error("a clock that overflows is taken")
	}
}

// TestLiveLimitOfTimeIdle: where all is older than the limit, nothing is kept, and that is declared.
func TestLiveLimitOfTimeIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := newLive(t, tracefmt.Run{}, record.Limit{For: time.Second})
		rec.Process("a").Start()
		rec.Process("a").Note("x")
		time.Sleep(time.Minute)
		m := dumped(t, rec)
		if gaps := m.Run().Completeness.Gaps; m.Len() != 0 || len(gaps) != 1 || gaps[0].Dropped != 2 {
			t.Errorf("%d events, gaps %+v", m.Len(), gaps)
		}
	})
}

// TestLiveDeclaredOfOthers: what the program declares of a member that it does not record is kept; of others nothing is recorded.
func TestLiveDeclaredOfOthers(t *testing.T) {
	said := record.Everything()
	said.Processes = map[string]tracefmt.Levels{"n2": {Default: tracefmt.Some}}
	run := tracefmt.Run{Members: []tracefmt.Member{{Name: "n1", Position: 1}, {Name: "n2", Position: 2}, {Name: "n3", Position: 3}}}
	rec, err := record.NewLive(run, said, record.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Process("n1").Start()
	want := map[string]tracefmt.Levels{"n2": {Default: tracefmt.Some}, "n3": {Default: tracefmt.None}}
	if got := dumped(t, rec).Run().Completeness.Processes; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
}

// TestLivePartition: the processes in no group form one more; one in two groups is nonsense.
func TestLivePartition(t *testing.T) {
	rec := newLive(t, tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}}, record.Limit{})
	rec.Partition([]string{"b"})
	if got, want := lines(t, dumped(t, rec)), `{"groups":[["b"],["a","c"]]}`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	rec.Partition([]string{"a"}, []string{"a"})
	if err := rec.Err(); err == nil || !strings.Contains(err.Error(), "process a is in two groups") {
		t.Errorf("error %v", err)
	}
}
