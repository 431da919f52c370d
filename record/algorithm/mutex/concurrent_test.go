package mutex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm"
	"etrace/record/algorithm/mutex"
	"etrace/tracefmt"
)

// contest is a run in which processes ask while others wait.
type contest struct {
	n       int
	byType  map[string]int // messages by type
	sent    int
	entered []int
	// lacking is how many requests are made without the token, where there is one.
	lacking int
	// missing is how many permissions, where they are kept, are missing at a request, or are given up
	// until the entry.
	missing int
}

func contestOf(m *tracefmt.Memory) contest {
	n := len(m.Run().Members)
	c := contest{n: n, byType: interaction.Count(m).ByType, sent: interaction.Count(m).Sent}
	token, kept, waits := make([]bool, n+1), make([]int, n+1), make([]bool, n+1)
	for e := range m.Events(1) {
		p := e.Process
		switch {
		case e.Kind.AssignsVariables():
			if value, ok := e.Field("token"); ok {
				token[p] = string(value) == "true"
			}
			if value, ok := e.Field("has"); ok {
				now := len(listOf(value))
				if waits[p] {
					c.missing += max(kept[p]-now, 0)
				}
				kept[p] = now
			}
		case e.Kind == tracefmt.Note && e.Type == "request":
			waits[p] = true
			c.missing += n - 1 - kept[p]
			if !token[p] {
				c.lacking++
			}
		case e.Kind == tracefmt.Note && e.Type == "enter":
			waits[p] = false
			c.entered = append(c.entered, int(p))
		}
	}
	return c
}

// listOf are the elements of a JSON array of numbers.
func listOf(value []byte) []string {
	return strings.FieldsFunc(string(value), func(r rune) bool { return strings.ContainsRune("[], ", r) })
}

// entries is how many there are.
func (c *contest) entries() int { return len(c.entered) }

// whatever is the law of each algorithm's messages in every run without faults.
var whatever = map[string]func(c *contest) bool{
	"carvalho-roucairol": func(c *contest) bool {
		return c.byType["REQUEST"] == c.missing && c.byType["REPLY"] == c.missing && c.sent == 2*c.missing && c.missing <= (c.n-1)*c.entries()
	},
	"central-mutex": func(c *contest) bool {
		entrants := slices.DeleteFunc(slices.Clone(c.entered), func(p int) bool { return p == 1 })
		return c.sent == 3*len(entrants)
	},
	"lamport-mutex": func(c *contest) bool { return c.sent == 3*(c.n-1)*c.entries() },
	"lamport-mutex, ack: needed": func(c *contest) bool {
		minimum := (c.n - 1) * c.entries()
		return c.byType["REQUEST"] == minimum && c.byType["RELEASE"] == minimum && c.sent >= 2*minimum && c.sent <= 3*minimum
	},
	"maekawa": func(c *contest) bool {
		requests, h := 0, history{n: c.n}
		for _, p := range c.entered {
			requests += h.quorum(p) - 1
		}
		byType := c.byType
		return byType["REQUEST"] == requests && byType["RELEASE"] == requests && byType["LOCKED"] == requests+byType["RELINQUISH"] &&
			byType["RELINQUISH"] <= byType["INQUIRE"] && byType["FAIL"]+byType["INQUIRE"] <= requests+c.entries()
	},
	"naimi-trehel": func(c *contest) bool { return c.byType["TOKEN"] == c.lacking && c.sent <= c.n*c.entries() },
	"raymond": func(c *contest) bool {
		return c.byType["PRIVILEGE"] == c.byType["REQUEST"] && c.sent <= 2*diameter(c.n)*c.entries()
	},
	"ricart-agrawala": func(c *contest) bool {
		return c.sent == 2*(c.n-1)*c.entries() && c.byType["REPLY"] == c.byType["REQUEST"]
	},
	"suzuki-kasami": func(c *contest) bool {
		return c.byType["TOKEN"] == c.lacking && c.byType["REQUEST"] == (c.n-1)*c.lacking
	},
}

// diameter is that of the binary tree in which i is below i/2.
func diameter(n int) (far int) {
	h := history{n: n}
	for p := 1; p <= n; p++ {
		h.towards = append(h.towards, max(p/2, 1))
	}
	for p := 1; p <= n; p++ {
		for q := 1; q < p; q++ {
			far = max(far, h.distance(p, q))
		}
	}
	return far
}

// TestWhateverTheDelays: what the messages of a run are, whoever asks when and again, and however long messages
// take; also where they overtake each other, unless the algorithm needs FIFO channels.
func TestWhateverTheDelays(t *testing.T) {
	for _, a := range mutex.All() {
		if _, known := whatever[a.Name]; !known && a.Name != "token-ring-mutex" {
			t.Errorf("no law of the messages of %s", a.Name)
		}
	}
	for plan, law := range whatever {
		name, params, _ := strings.Cut(plan, ", ")
		t.Run(plan, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(2, 12).Draw(t, "n")
				text := strings.Replace(drawPlan(t, name, n), "params: {", "params: {"+params+" ", 1)
				if params != "" {
					text = strings.Replace(text, params+" ", params+", ", 1)
				}
				if !needsFIFO(name) {
					text += ", reorder: " + rapid.SampledFrom([]string{"on", "off"}).Draw(t, "reorder")
				}
				m := interaction.Record(t, "%s", text)
				c := contestOf(m)
				if m.Run().End != tracefmt.Quiescent || !law(&c) {
					t.Fatalf("%s: %d messages, %v, for the entries of %v; %d requests without the token, %d permissions missing; ends %s",
						text, c.sent, c.byType, c.entered, c.lacking, c.missing, m.Run().End)
				}
			})
		})
	}
}

func needsFIFO(name string) bool {
	return slices.ContainsFunc(mutex.All(), func(a *algorithm.Algorithm) bool { return a.Name == name && a.FIFO })
}

// With Raymond's, all ask at once, again and again, on any tree and whoever has the token at first: where a message
// takes one unit, 4(n-1) for n entries, less what the token need not go back from the last one to the first.
func TestRoundTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{n: rapid.SampledFrom(sizes).Draw(t, "n")}
		h.towards = drawRecursiveTree(t, h.n)
		holder, times := rapid.IntRange(1, h.n).Draw(t, "holder"), rapid.IntRange(1, 4).Draw(t, "times")
		plan := fmt.Sprintf(
			"algorithm: raymond, nodes: %d, start: all%s, params: {repeat: %d, holder: %d}", h.n,
			onTree("raymond", h.towards), times, holder,
		)
		c := contestOf(interaction.Record(t, "%s", plan))
		last := c.entered[len(c.entered)-1]
		if want := 4*(h.n-1)*times - 2*h.distance(holder, last); c.entries() != h.n*times || c.sent != want {
			t.Fatalf("%s: %d messages for %d entries, the last of %d, want %d", plan, c.sent, c.entries(), last, want)
		}
	})
}

// With other delays the token may go a longer way. 4's REQUEST is at 1 at 3.5, when the token has gone to 2, and 3's is
// at 2 at 6, after 1's own: 1, 2, 1, 4, 1, 2, 3 are 6 hops in place of 2*3 - 2.
func TestOffTheRound(t *testing.T) {
	c := contestOf(interaction.Record(t, "algorithm: raymond, nodes: 4, start: all, edges: '1-2,1-4,2-3', slow: "+
		"['REQUEST:4>1#1=3.5', 'REQUEST:3>2#1=6']"))
	if c.sent != 2*6 || !slices.Equal(c.entered, []int{1, 2, 4, 3}) {
		t.Errorf("%d messages for the entries of %v, want 2*6 for 1, 2, 4, 3", c.sent, c.entered)
	}
}

// A process that waits for the token of a ring sends nothing. So no request can have happened after its own
// before it has entered: request-order-fairness holds in every run.
func TestWaitsInSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t, "token-ring-mutex", rapid.IntRange(2, 9).Draw(t, "n")) + ", reorder: on, max-events: 1000"
		waits := map[tracefmt.ProcessID]bool{}
		for e := range interaction.Record(t, "%s", plan).Events(1) {
			switch {
			case e.Kind == tracefmt.Note && e.Type == "request":
				waits[e.Process] = true
			case e.Kind == tracefmt.Note && e.Type == "enter":
				delete(waits, e.Process)
			case e.Kind == tracefmt.Send && waits[e.Process]:
				t.Fatalf("%s: process %d sends %s at seq %d, while it waits", plan, e.Process, e.Type, e.Seq)
			}
		}
	})
}

// A request on an idle ring waits until the token has come to 0, 1, ..., n-1 others.
func TestHopsToWaitFor(t *testing.T) {
	for _, n := range sizes {
		seen := map[int]bool{}
		for half := range 2 * n {
			hops, waits := 0, false
			for e := range interaction.Record(t, "algorithm: token-ring-mutex, nodes: %d, start: %d@%g", n, n/2+1, float64(half)/2).Events(1) {
				switch {
				case e.Kind == tracefmt.Note && e.Type == "request":
					waits = true
				case e.Kind == tracefmt.Note && e.Type == "enter":
					waits = false
				case waits && e.Kind == tracefmt.Receive && int(e.Process) != n/2+1:
					hops++
				}
			}
			seen[hops] = true
		}
		for hops := range seen {
			if hops >= n {
				t.Errorf("n = %d: a wait of %d hops", n, hops)
			}
		}
		if len(seen) != n {
			t.Errorf("n = %d: waits of %v hops, want all from 0 to %d", n, seen, n-1)
		}
	}
}
