package tracefmt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt/text"
)

// Bound is a published bound on the messages of a run, with its way of counting. Among bounds of one kind and
// convention, the first whose condition is true holds.
type Bound struct {
	// Messages is a formula such as 3*live-1, in the language of budgets. Its names are n (processes), live
	// (processes up at the first send), top (the process with the greatest id is up), and the names in Given.
	// If the scenario of the run defines the starts, it may also use starts (the number of live processes that
	// start) and above (the number of ids above the lowest of these), both 0 without starts. For the kind order
	// it is no formula, but words such as O(n log n).
	Messages string `json:"messages"`
	// If is the condition, over the same names; "" for none.
	If string `json:"if,omitempty"`
	// Kind is the meaning of the formula: "worst" or "", an upper bound; "exact", the exact value; "least", a
	// lower bound; "mean", the average over the distribution of the source; "order", the growth.
	Kind string `json:"kind,omitempty"`
	// Counts selects the messages: "sent" or "", every send, also to a process that is down; "others", without
	// messages of a process to itself; "delivered", every receive.
	Counts string `json:"counts,omitempty"`
	// Without are the types of messages that do not count, such as messages that announce the result or wake up
	// processes.
	Without []string `json:"without,omitempty"`
	// Given has the values of the names in the formulas that are not in [BoundNames], such as the number of edges
	// of the run's graph.
	Given map[string]int64 `json:"given,omitempty"`
	// Delays is "unit" for a bound that requires that each message takes one unit of time, "" for a bound that
	// holds for any delays.
	Delays string `json:"delays,omitempty"`
	// Source names the publication of the bound.
	Source string `json:"source,omitempty"`
}

// The words of a bound.
const (
	WorstCase = "worst"
	ExactCase = "exact"
	LeastCase = "least"
	MeanCase  = "mean"
	OrderOf   = "order"

	CountsSent      = "sent"
	CountsOthers    = "others"
	CountsDelivered = "delivered"

	UnitDelays = "unit"
)

var (
	boundKinds = []string{WorstCase, ExactCase, LeastCase, MeanCase, OrderOf}
	countings  = []string{CountsSent, CountsOthers, CountsDelivered}
)

// The limits of bounds.
const (
	maxBounds  = 64
	maxWithout = 64
	maxGiven   = 16
)

// BoundNames are the names that every formula may use.
var BoundNames = []string{"above", "live", "n", "starts", "top"}

// KindOf returns the kind of the bound, by default the worst case.
func (b *Bound) KindOf() string {
	if b.Kind == "" {
		return WorstCase
	}
	return b.Kind
}

// Rivals reports whether two bounds have the same kind and count the same messages, so that only the first with
// a true condition holds.
func (b *Bound) Rivals(o *Bound) bool {
	sent := func(counts string) string {
		if counts == "" {
			return CountsSent
		}
		return counts
	}
	return b.KindOf() == o.KindOf() && sent(b.Counts) == sent(o.Counts) &&
		slices.Equal(slices.Sorted(slices.Values(b.Without)), slices.Sorted(slices.Values(o.Without)))
}

// Convention describes the counted messages.
func (b *Bound) Convention() string {
	words := map[string]string{CountsOthers: "sent to others", CountsDelivered: "delivered"}[b.Counts]
	if words == "" {
		words = "sent"
	}
	if len(b.Without) > 0 {
		words += ", excluding " + strings.Join(b.Without, ", ")
	}
	return words
}

// Equal reports whether two bounds are the same.
func (b *Bound) Equal(o *Bound) bool {
	return b.Messages == o.Messages && b.If == o.If && b.Kind == o.Kind && b.Counts == o.Counts && slices.Equal(b.Without, o.Without) &&
		maps.Equal(b.Given, o.Given) && b.Delays == o.Delays && b.Source == o.Source
}

// UnmarshalJSON rejects unknown keys.
func (b *Bound) UnmarshalJSON(data []byte) error {
	type fields Bound
	return unmarshalKeys(data, (*fields)(b), boundKeys)
}

// boundText is a text of a bound, with the JSON key under which a header has it.
type boundText struct{ key, text string }

// texts returns all texts of the bound, each type of Without included.
func (b *Bound) texts() []boundText {
	list := []boundText{
		{"messages", b.Messages},
		{"if", b.If},
		{"kind", b.Kind},
		{"counts", b.Counts},
		{"delays", b.Delays},
		{"source", b.Source},
	}
	for _, t := range b.Without {
		list = append(list, boundText{"without", t})
	}
	return list
}

// validate returns the first mistake in the bound: a text that is too long or not UTF-8, a missing formula, an
// unknown word, or a wrong name in Given. It does not parse the formulas.
func (b *Bound) validate() error {
	// The bound may come from a hostile header, so its size is limited before anything else.
	for _, t := range b.texts() {
		switch {
		case !utf8.ValidString(t.text):
			return fmt.Errorf("%q is not UTF-8", t.key)
		case len(t.text) > longestText:
			return fmt.Errorf("%q has %d bytes, expected at most %d", t.key, len(t.text), longestText)
		}
	}
	switch {
	case b.Messages == "":
		return fmt.Errorf(`expected "messages", a formula such as 3*n-1`)
	case b.Kind != "" && !slices.Contains(boundKinds, b.Kind):
		return fmt.Errorf(`"kind": %s, expected one of %v`, text.Quote(b.Kind), boundKinds)
	case b.Counts != "" && !slices.Contains(countings, b.Counts):
		return fmt.Errorf(`"counts": %s, expected one of %v`, text.Quote(b.Counts), countings)
	case b.Delays != "" && b.Delays != UnitDelays:
		return fmt.Errorf(`"delays": %s, expected %s or nothing`, text.Quote(b.Delays), UnitDelays)
	case len(b.Without) > maxWithout:
		return fmt.Errorf(`"without" has %d types, expected at most %d`, len(b.Without), maxWithout)
	}
	return b.validateGiven()
}

// validateGiven returns the first mistake in the names of Given.
func (b *Bound) validateGiven() error {
	if len(b.Given) > maxGiven {
		return fmt.Errorf(`"given" has %d names, expected at most %d`, len(b.Given), maxGiven)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Given)) {
		if !isGivenName(name) {
			return fmt.Errorf(
				`"given": %s, expected a name in lower case such as edges, and none of %s`,
				text.Quote(name), strings.Join(BoundNames, ", "),
			)
		}
	}
	return nil
}

// isGivenName reports whether Given may define the name: lower-case letters, digits and underscores, and no name
// of [BoundNames].
func isGivenName(s string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' }
	return s != "" && 'a' <= s[0] && s[0] <= 'z' && len(s) <= longestWord &&
		!strings.ContainsFunc(s, func(r rune) bool { return !letter(r) }) &&
		!slices.Contains(BoundNames, s)
}
