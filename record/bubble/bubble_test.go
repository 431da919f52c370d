package bubble_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/record"
	"etrace/record/bubble"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// start begins a recording and a network between n1, n2, ...
func start(t *testing.T, run tracefmt.Run, nodes int, c bubble.Config) (*record.Live, *bubble.Network) {
	t.Helper()
	rec, err := record.NewLive(run, record.Everything(), record.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range nodes {
		names = append(names, name(i))
	}
	n, err := bubble.New(t.Context(), rec, names, c)
	if err != nil {
		t.Fatal(err)
	}
	return rec, n
}

func name(i int) string { return "n" + strconv.Itoa(i+1) }

func run(t *testing.T, n *bubble.Network, name string, program func(context.Context, *bubble.Node)) {
	t.Helper()
	if err := n.Start(name, program); err != nil {
		t.Fatal(err)
	}
}

// ended waits for the end of a run, and returns what was recorded, which must be well-formed.
func ended(t *testing.T, rec *record.Live, n *bubble.Network) *tracefmt.Memory {
	t.Helper()
	n.Wait()
	m := new(tracefmt.Memory)
	if err := rec.Dump(m, tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	if err := tracefmt.Validate(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func text(t *testing.T, m *tracefmt.Memory) string {
	t.Helper()
	var b bytes.Buffer
	if err := tracefmt.Copy(tracefmt.NewEncoder(&b), m, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// changRoberts is the election of Chang and Roberts; a node that errs lets smaller ids pass, too.
func changRoberts(id, nodes int, errs bool) func(context.Context, *bubble.Node) {
	next := name(id % nodes)
	return func(ctx context.Context, self *bubble.Node) {
		send := func(typ string, candidate int) {
			_ = self.Send(next, typ, candidate, slog.String("id", name(candidate-1)))
		}
		send("election", id)
		for {
			select {
			case <-ctx.Done():
				return
			case m := <-self.Inbox():
				candidate := m.Value.(int)
				switch {
				case m.Type == "elected":
					if candidate != id {
						self.State(slog.String("elected", name(candidate-1)))
						send("elected", candidate)
					}
				case candidate == id:
					self.State(slog.String("elected", self.Name()))
					send("elected", id)
				case candidate > id || errs:
					send("election", candidate)
				}
			}
		}
	}
}

// TestElection: a program that keeps to its algorithm satisfies safety, and a program that does not violates it.
func TestElection(t *testing.T) {
	for _, errs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			rec, n := start(t, tracefmt.Run{Problem: tracefmt.Election}, 5, bubble.Config{})
			for i := range 5 {
				run(t, n, name(i), changRoberts(i+1, 5, errs))
			}
			time.Sleep(time.Minute)
			report, err := analyze.Check(ended(t, rec, n), property.Builtin().Default(), analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			verdicts := map[string]analyze.Verdict{}
			for _, r := range report.Results {
				verdicts[r.Property.Name] = r.Verdict
			}
			if v := verdicts["single-leader"]; (v == analyze.Violated) != errs {
				t.Errorf("errs %v: single-leader is %v", errs, v)
			}
			if v := verdicts["fifo"]; v == analyze.Violated {
				t.Errorf("fifo is %v", v)
			}
		})
	}
}

// TestRepeats: runs of one seed are the same bytes, also where timers of all nodes, the program's own and those of
// nodes, are equally long and everything would happen at one instant.
func TestRepeats(t *testing.T) {
	seen := map[string]int{}
	times := size.Pick(20, 100, 1000)
	for range times {
		synctest.Test(t, func(t *testing.T) {
			rec, n := start(t, tracefmt.Run{}, 5, bubble.Config{Config: network.Config{
				Seed: 7, Delay: network.Delay{A: tracefmt.Unit}, Loss: 0.1, Duplicate: 0.1, Reorder: true,
			}})
			for i := range 5 {
				run(t, n, name(i), func(ctx context.Context, self *bubble.Node) {
					local := time.NewTicker(time.Second)
					defer local.Stop()
					for {
						select {
						case <-ctx.Done():
							return
						case <-local.C:
							for to := range 5 {
								_ = self.Send(name(to), "M", nil)
							}
						case <-self.After(time.Second):
							self.Note("nothing came for a second")
						case m := <-self.Inbox():
							self.Note("took", slog.String("from", m.From))
						}
					}
				})
			}
			time.Sleep(20 * time.Second)
			seen[text(t, ended(t, rec, n))]++
		})
	}
	if len(seen) != 1 {
		t.Errorf("%d different runs of %d", len(seen), times)
	}
	for run := range seen {
		if strings.Count(run, "\n") < 1000 {
			t.Errorf("a run of %d lines shows little", strings.Count(run, "\n"))
		}
	}
}

// TestFaults: crashes, recoveries and partitions by plan and by hand.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, n := start(t, tracefmt.Run{}, 3, bubble.Config{Faults: []bubble.Fault{
			{Kind: bubble.Crash, Node: "n2", At: 10 * time.Second},
			{Kind: bubble.Recover, Node: "n2", At: 20 * time.Second},
			{Kind: bubble.Partition, Groups: [][]string{{"n1"}, {"n2", "n3"}}, At: 30 * time.Second},
			{Kind: bubble.Heal, At: 40 * time.Second},
		}})
		var mu sync.Mutex
		var began []time.Duration
		first := time.Now()
		run(t, n, "n1", func(_ context.Context, self *bubble.Node) {
			for self.Sleep(time.Second) {
				_ = self.Send("n2", "PING", nil)
			}
		})
		run(t, n, "n2", func(ctx context.Context, _ *bubble.Node) {
			mu.Lock()
			began = append(began, time.Since(first).Round(time.Second))
			mu.Unlock()
			<-ctx.Done()
		})
		time.Sleep(50*time.Second + time.Millisecond)
		if err := errors.Join(n.Crash("n1"), n.Recover("n1"), n.Crash("n1")); err != nil {
			t.Error(err)
		}
		m := ended(t, rec, n)
		count := map[string]int{}
		for e, err := range m.Events(1) {
			if err != nil {
				t.Fatal(err)
			}
			reason, _ := e.Field("reason")
			count[strings.TrimSpace(e.Kind.String()+" "+string(reason))]++
		}
		// A PING each second, 1 to 50 s; messages that arrive between 10 and 20 and messages sent between 30 and 40 are
		// lost.
		for name, want := range map[string]int{
			"send": 50, "crash": 3, "recover": 2, "partition": 1, "heal": 1, `lose "receiver crashed"`: 10, `lose "partitioned"`: 10,
		} {
			if count[name] != want {
				t.Errorf("%s: %d, expected %d", name, count[name], want)
			}
		}
		if len(began) != 2 || began[1] != 20*time.Second {
			t.Errorf("n2 began at %v, expected 0 and 20 s", began)
		}
	})
}

// TestHTTP: unmodified net/http runs over streams.
func TestHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, n := start(t, tracefmt.Run{}, 2, bubble.Config{})
		var status int
		var body string
		run(t, n, "n1", func(ctx context.Context, self *bubble.Node) {
			l, err := self.Listen(nil)
			if err != nil {
				t.Error(err)
				return
			}
			s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				_, _ = w.Write(append([]byte("you sent "), sent...))
			})}
			context.AfterFunc(ctx, func() { s.Close() })
			_ = s.Serve(l)
		})
		run(t, n, "n2", func(ctx context.Context, self *bubble.Node) {
			client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
				host, _, _ := net.SplitHostPort(address)
				return self.Dial(ctx, host, nil)
			}}}
			defer client.CloseIdleConnections()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://n1:80/", strings.NewReader("hello"))
			if err != nil {
				t.Error(err)
				return
			}
			response, err := client.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			got, _ := io.ReadAll(response.Body)
			status, body = response.StatusCode, string(got)
		})
		time.Sleep(time.Minute)
		m := ended(t, rec, n)
		if status != http.StatusOK || body != "you sent hello" {
			t.Errorf("got %d %q", status, body)
		}
		if got := text(t, m); !strings.Contains(got, `"type":"connect"`) || !strings.Contains(got, `"type":"data"`) {
			t.Errorf("recorded\n%s", got)
		}
	})
}

// TestPackets: an unmodified reader of packets, with deadlines.
func TestPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, n := start(t, tracefmt.Run{}, 2, bubble.Config{})
		var got []string
		run(t, n, "n1", func(_ context.Context, self *bubble.Node) {
			c := self.PacketConn(nil)
			defer c.Close()
			buffer := make([]byte, 100)
			for {
				if err := c.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
					t.Error(err)
				}
				size, from, err := c.ReadFrom(buffer)
				if errors.Is(err, os.ErrDeadlineExceeded) {
					got = append(got, "deadline")
					return
				}
				got = append(got, from.String()+" "+string(buffer[:size]))
			}
		})
		run(t, n, "n2", func(_ context.Context, self *bubble.Node) {
			c := self.PacketConn(func(data []byte) (string, []slog.Attr) { return string(data), nil })
			for _, word := range []string{"one", "two"} {
				if _, err := c.WriteTo([]byte(word), bubble.Addr("n1")); err != nil {
					t.Error(err)
				}
				self.Sleep(time.Second)
			}
			if _, err := c.WriteTo(nil, bubble.Addr("n9")); err == nil {
				t.Error("a packet to nobody is sent")
			}
		})
		time.Sleep(time.Minute)
		m := ended(t, rec, n)
		if want := "n2 one,n2 two,deadline"; strings.Join(got, ",") != want {
			t.Errorf("got %q, expected %q", got, want)
		}
		if strings.Count(text(t, m), `"kind":"receive"`) != 2 {
			t.Errorf("recorded\n%s", text(t, m))
		}
	})
}

// TestStreams: who does not listen refuses; bytes arrive in order and once over a network that reorders and doubles;
// a partition breaks a stream for who writes.
func TestStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, n := start(t, tracefmt.Run{}, 3, bubble.Config{Config: network.Config{
			Reorder: true, Duplicate: 0.5, Delay: network.Delay{Distribution: network.Uniform, A: 1e6, B: 900e6},
		}})
		var got string
		run(t, n, "n1", func(ctx context.Context, self *bubble.Node) {
			l, err := self.Listen(nil)
			if err != nil {
				t.Error(err)
				return
			}
			c, err := l.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			list, err := io.ReadAll(c)
			if err != nil {
				t.Error(err)
			}
			got = string(list)
			<-ctx.Done()
		})
		run(t, n, "n3", func(ctx context.Context, _ *bubble.Node) { <-ctx.Done() })
		want := ""
		run(t, n, "n2", func(ctx context.Context, self *bubble.Node) {
			if _, err := self.Dial(ctx, "n3", nil); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("nobody listens, and the error is %v", err)
			}
			c, err := self.Dial(ctx, "n1", nil)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 100 {
				word := strconv.Itoa(i) + " "
				want += word
				if _, err := io.WriteString(c, word); err != nil {
					t.Error(err)
				}
			}
			c.Close()
			self.Sleep(30 * time.Second)
			if err := n.Partition([]string{"n2"}); err != nil {
				t.Error(err)
			}
			short, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			if _, err := self.Dial(short, "n1", nil); err == nil {
				t.Error("a stream crosses a partition")
			}
		})
		time.Sleep(10 * time.Minute)
		ended(t, rec, n)
		if got != want || want == "" {
			t.Errorf("got %q, expected %q", got, want)
		}
	})
}

// TestRefused: what cannot be is an error.
func TestRefused(t *testing.T) {
	n1 := []string{"n1"}
	using := func(f bubble.Fault) bubble.Config { return bubble.Config{Faults: []bubble.Fault{f}} }
	for _, test := range []struct {
		names  []string
		config bubble.Config
		want   string
	}{
		{n1, bubble.Config{Config: network.Config{Loss: 2}}, "bubble: loss 2 and duplicate 0 must be probabilities"},
		{
			n1,
			bubble.Config{Config: network.Config{Chooser: new(network.ScriptedChoices)}},
			"bubble: a chooser needs time that stands still",
		},
		{n1, using(bubble.Fault{Kind: bubble.Crash, Node: "n9"}), `fault 1: bubble: unknown node "n9"`},
		{n1, using(bubble.Fault{Kind: bubble.Partition, Groups: [][]string{{"n9"}}}), `fault 1: bubble: unknown node "n9"`},
		{n1, using(bubble.Fault{Kind: bubble.Heal, At: -1}), "bubble: fault 1 at -1ns, expected no time before 0"},
		{
			n1, using(bubble.Fault{Kind: 9}),
			"fault 1: bubble: unknown kind of fault 9, expected Crash, Recover, Partition or Heal",
		},
		{names: []string{"n1", "n1"}, want: `bubble: two nodes are called "n1"`},
		{names: []string{""}, want: `record: after 0 events: a member called "", expected a name in UTF-8`},
		{want: "bubble: no node, expected the name of each"},
	} {
		rec, err := record.NewLive(tracefmt.Run{}, record.Everything(), record.Limit{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bubble.New(t.Context(), rec, test.names, test.config); err == nil || err.Error() != test.want {
			t.Errorf("error %v, expected %s", err, test.want)
		}
	}
}

// TestStartWithoutProgram: a node has a program.
func TestStartWithoutProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, n := start(t, tracefmt.Run{}, 1, bubble.Config{})
		if err := n.Start("n1", nil); err == nil || err.Error() != "bubble: node n1 without a program" {
			t.Errorf("error %v", err)
		}
		n.Wait()
	})
}

// TestStartAfterEnd: nothing starts in a network that has ended.
func TestStartAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, n := start(t, tracefmt.Run{}, 2, bubble.Config{})
		n.Wait()
		if err := n.Start("n1", func(context.Context, *bubble.Node) {}); err == nil || err.Error() != "bubble: the network has ended" {
			t.Errorf("error %v", err)
		}
	})
}

// TestPartitionOfSome: the nodes in no group form one more, which is recorded, and no node is in two groups.
func TestPartitionOfSome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, n := start(t, tracefmt.Run{}, 3, bubble.Config{})
		err := n.Partition([]string{"n1"}, []string{"n1", "n2"})
		if err == nil || err.Error() != "bubble: node n1 is in two groups of a partition" {
			t.Errorf("error %v", err)
		}
		if err := n.Partition([]string{"n2"}); err != nil {
			t.Error(err)
		}
		if got, want := text(t, ended(t, rec, n)), `{"groups":[["n2"],["n1","n3"]]}`; !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	})
}
