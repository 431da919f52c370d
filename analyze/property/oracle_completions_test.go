package property_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/exceptions"
	"etrace/fixtures/mask"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// The oracle of partial recordings. It draws a small run, masks it, writes down every run that the masked recording
// may be of, up to a number of hidden events, and checks each as a complete run. The verdict on the recording is
// sound if none of them contradicts it, and it decides what they agree on.
//
// A completion is taken to be this: the recorded events in their order, with further events between them of facts
// that may be missing there by the coverage of the recording, and with further variables in recorded starts and
// recoveries where those may be missing; all of it keeps the rules of [course]. It uses the types of messages,
// timers, notes and operations of the recording, the variables that occur in it or that its header names, and any
// value of the theme. A hidden start or recovery has variables only where assignments of them may be missing, and
// leaves all others without a value. The number of missing events in a gap is unknown. Inferred events may not have
// happened. Where the recording is believed to be quiescent, each of its completions is.

// hiddenAtMost is how many events the oracle adds.
const hiddenAtMost = 2

// completionBudget returns how many completions of a recording the oracle looks at before it
// gives up to call the rest agreed: most of a recording that was judged wrongly once.
func (c *partialCase) completionBudget() int {
	const limit = 600
	if c.mask.Sort == "told" {
		return limit
	}
	return size.Pick(60, 100, limit)
}

// doubtsPerCase is how many random completions are drawn where the check does not decide and
// those of few hidden events agree.
const doubtsPerCase = 400

// opinion is what the completions of a recording make of a property.
type opinion struct {
	violated, fine, second bool
	// disputed: the completions of the recording agree, but not those with more hidden
	// events, or with words that the recording has not.
	disputed bool
	// shows is a completion that is violated, and holds is a completion that is not.
	shows, holds *tracefmt.Memory
}

func (o *opinion) hear(v analyze.Verdict, rec *tracefmt.Memory) {
	switch v {
	case analyze.Violated:
		if !o.violated {
			o.violated, o.shows = true, rec
		}
	case analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous:
		if !o.fine {
			o.fine, o.holds = true, rec
		}
	default:
		o.second = true
	}
}

// mixed: no further completion changes the expected verdict.
func (o *opinion) mixed() bool { return o.violated && o.fine }

// oneSided are the properties for which the oracle cannot show that no completion violates them: completions keep
// them as their rules, or a violation takes more hidden events than it adds. Of these only what all completions
// violate counts as decided.
var oneSided = exceptions.New(
	exceptions.Row{What: "bounded-bypass(1)", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "broadcast-causal-order", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "broadcast-fifo-order", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "broadcast-total-order", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "causal-delivery", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "crash-recovery-alternate", Why: "completions keep it as their rule"},
	exceptions.Row{What: "fifo", Why: "completions keep it as their rule"},
	exceptions.Row{What: "message-integrity", Why: "completions keep it as their rule"},
	exceptions.Row{What: "no-duplication", Why: "completions keep it as their rule"},
	exceptions.Row{What: "no-step-when-crashed", Why: "completions keep it as their rule"},
	exceptions.Row{What: "process-time-monotone", Why: "completions keep it as their rule"},
	exceptions.Row{What: "request-order-fairness", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "ring-no-orphan", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "termination-within(4)", Why: "a violation takes more hidden events than completions add"},
	exceptions.Row{What: "timers-well-behaved", Why: "completions keep it as their rule"},
)

// partialCase is a masked run of a theme.
type partialCase struct {
	theme    *theme
	mask     mask.Mask
	original *tracefmt.Memory
	masked   *tracefmt.Memory
	report   *analyze.RunReport
	opinions []opinion
	// all: every completion with that number of hidden events was checked.
	list bool
}

// TestCompletions compares verdicts on partial recordings with those on all completions.
// ETRACE_THEME=mutex asks it for one theme only, ETRACE_UNDECIDED=PROPERTY to show each case
// that the check leaves undecided though the completions agree.
func TestCompletions(t *testing.T) {
	masked, killed := size.Pick(6, 28, 2_000), size.Pick(3, 10, 1_000) // recordings of each theme
	found := newLedger()
	total, heard := 0, 0
	for i := range themes {
		th := &themes[i]
		if single := onlyTheme(); single != "" && single != th.name {
			continue
		}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		list := th.recorded(t)
		for i := range masked + killed {
			draw := drawPartial
			if i >= masked {
				draw = drawKilled
			}
			if c := draw(t, th, random); c != nil {
				list = append(list, c)
			}
		}
		for _, c := range list {
			total++
			heard += c.ask(t)
			heard += c.doubt(t, random)
			c.judgePrecision(found)
			if rec := newCompleter(th, c.masked).recordingOf(c.original); rec != nil {
				c.hear(t, rec) // the run is a completion of its recording
			}
			c.judgeSoundness(found)
		}
		t.Logf("%s: %d recordings, %d completions so far", th.name, total, heard)
	}
	found.reportUnsound(t)
	found.reportPrecision(t)
}

func onlyTheme() string { return os.Getenv("ETRACE_THEME") }

// drawPartial draws a run and a mask of it, nil if it hides nothing.
func drawPartial(t *testing.T, th *theme, random *rand.Rand) *partialCase {
	t.Helper()
	c := &partialCase{theme: th, original: th.draw(random)}
	masks, err := mask.All(c.original)
	if err != nil {
		t.Fatal(err)
	}
	bySort := map[string][]mask.Mask{}
	for _, m := range masks {
		if !m.Stops && m.Sort != "declared" {
			bySort[m.Sort] = append(bySort[m.Sort], m)
		}
	}
	if len(bySort) == 0 {
		return nil
	}
	sorts := slices.Sorted(maps.Keys(bySort))
	ofSort := bySort[sorts[random.IntN(len(sorts))]]
	c.mask = ofSort[random.IntN(len(ofSort))]
	c.masked, err = c.mask.Of(c.original)
	if err != nil {
		t.Fatal(err)
	}
	if tells := c.masked.Run().Completeness; tells != nil {
		for i := range tells.Gaps {
			tells.Gaps[i].Dropped = 0
		}
	}
	if err := tracefmt.Validate(c.masked); err != nil {
		t.Fatalf("%v\n%s", err, inText(c.masked))
	}
	c.check(t)
	return c
}

// ask hears the completions, and returns how many.
func (c *partialCase) ask(t *testing.T) (heard int) {
	t.Helper()
	c.list = true
	budget := c.completionBudget()
	completer := newCompleter(c.theme, c.masked)
	for hidden := range hiddenAtMost + 1 {
		completer.each(hidden, func(rec *tracefmt.Memory) bool {
			heard++
			c.hear(t, rec)
			c.list = heard < budget
			return c.list && slices.ContainsFunc(c.opinions, func(o opinion) bool { return !o.mixed() })
		})
	}
	return heard
}

// doubt looks for longer completions, and for ones in any words and values of the theme, that
// differ from all others, where the check does not decide and the oracle is about to: it has
// not seen them all. It mostly hides the facts that the check names as missing. Returned is
// how many there were.
func (c *partialCase) doubt(t *testing.T, random *rand.Rand) (heard int) {
	t.Helper()
	completer := newCompleter(c.theme, c.masked)
	completer.widen()
	for i, r := range c.report.Results {
		o := &c.opinions[i]
		if r.Verdict != analyze.Unknown || !c.list || o.violated == o.fine || o.second {
			continue
		}
		completer.lacks = r.Needs
		for range doubtsPerCase {
			if o.disputed {
				break
			}
			rec := completer.random(random, 1+random.IntN(2*hiddenAtMost+1))
			if rec == nil {
				continue
			}
			report, err := analyze.Check(rec, []*analyze.Property{r.Property}, analyze.Options{Named: true})
			if err != nil {
				t.Fatal(err)
			}
			// The longer completion must end like the recording, or the verdicts differ for that reason.
			if c.report.Ending.Quiescent && !report.Ending.Quiescent {
				continue
			}
			heard++
			o.disputed = o.violated != (report.Results[0].Verdict == analyze.Violated)
		}
	}
	return heard
}

// hear has a completion checked, unless it does not end as the recording does.
func (c *partialCase) hear(t *testing.T, rec *tracefmt.Memory) {
	t.Helper()
	var properties []*analyze.Property
	var at []int
	for i, p := range c.theme.examined() {
		if !c.opinions[i].mixed() {
			properties, at = append(properties, p), append(at, i)
		}
	}
	report, err := analyze.Check(rec, properties, analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.report.Ending.Quiescent && !report.Ending.Quiescent {
		return
	}
	for i, r := range report.Results {
		c.opinions[at[i]].hear(r.Verdict, rec)
	}
}

// isFine reports whether no recorded event violates the property by a verdict.
func isFine(v analyze.Verdict) bool {
	return v == analyze.Satisfied || v == analyze.HoldsSoFar || v == analyze.Vacuous
}

// judgeSoundness notes the verdicts on the recording that some completion refutes.
func (c *partialCase) judgeSoundness(found *ledger) {
	for i, r := range c.report.Results {
		name, o := r.Property.Name, c.opinions[i]
		switch {
		case r.Verdict == analyze.Violated && o.fine:
			found.unsound[name] = append(found.unsound[name], c.text(r, "but not in this completion", o.holds))
		case (isFine(r.Verdict) || r.Verdict == analyze.Pending) && o.violated:
			found.unsound[name] = append(found.unsound[name], c.text(r, "but violated in this completion", o.shows))
		case r.Verdict == analyze.Pending && o.fine:
			found.unsound[name] = append(found.unsound[name], c.text(r, "but nothing is owed in this completion", o.holds))
		}
	}
}

// judgePrecision counts the verdicts on the recording where its completions agree.
func (c *partialCase) judgePrecision(found *ledger) {
	for i, r := range c.report.Results {
		name, o := r.Property.Name, c.opinions[i]
		if r.Verdict == analyze.NotApplicable || !c.list && !o.mixed() || o.second {
			continue
		}
		if !o.violated && oneSided.Has(name) {
			if r.Verdict == analyze.Unknown && o.fine && !o.disputed {
				oneSided.Excuse(name)
			}
			continue
		}
		p := found.state(c.theme.name, name)
		switch {
		case o.violated == o.fine || o.disputed: // or there is no completion of so few events
			p.undecided++
		case r.Verdict == analyze.Violated || isFine(r.Verdict):
			p.decided++
			p.agreed++
		default:
			p.decided++
			if os.Getenv("ETRACE_UNDECIDED") == name {
				fmt.Println(c.text(r, "but no completion is", nil))
			}
			if text := c.text(r, "but no completion is", map[bool]*tracefmt.Memory{
				true:  o.shows,
				false: o.holds,
			}[o.violated]); p.example == "" || len(text) < len(p.example) {
				p.example = text
			}
		}
	}
}

// text shows a case, and a completion if there is one to show.
func (c *partialCase) text(r *analyze.Result, outcome string, completion *tracefmt.Memory) string {
	text := fmt.Sprintf("%s, %s: %s is %s (%s), %s\n%s", c.theme.name, c.mask, r.Property.Name, r.Verdict,
		r.Explanation, outcome, inText(c.masked))
	if completion != nil {
		text += inText(completion)
	}
	return text
}
