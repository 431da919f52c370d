package tracefmt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt/text"
)

// Trait is a promise of a run about itself and its algorithm. Properties read traits and never the name of an
// algorithm. So they apply to every algorithm with the same promise, and to recorded runs.
type Trait struct {
	Name string
	// Doc describes the promise.
	Doc string
	// Includes are traits that this trait implies.
	Includes []string
}

// Key returns the name, for the registry of traits.
func (t Trait) Key() string { return t.Name }

// The names of the traits.
const (
	AsksUpward   = "asks-upward"
	Anonymous    = "anonymous"
	Answers      = "answers"
	CausalOrder  = "causal-order"
	DropsSmaller = "drops-smaller"
	FIFO         = "fifo"
	FIFOOrder    = "fifo-order"
	GreatestWins = "greatest-wins"
	Guarded      = "guarded"
	Heartbeats   = "heartbeats"
	Locks        = "locks"
	NoCreation   = "no-creation"
	NoDuplicates = "no-duplication"
	NoLoss       = "no-loss"
	NoRecovery   = "no-recovery"
	OnRing       = "ring"
	Reliable     = "reliable"
	RequestOrder = "request-order"
	TotalOrder   = "total-order"
	DecidesOnce  = "decides-once"
)

var traits = text.NewRegistry(
	"trait",
	Trait{
		Anonymous,
		"No process knows an id, not even its own. If all processes are in the same state at every instant, no " +
			"deterministic algorithm elects one of them (Angluin 1980).",
		nil,
	},
	Trait{Answers, "A live process answers the message ELECTION of a lower live process.", nil},
	Trait{
		AsksUpward,
		"A process that holds an election sends ELECTION only to processes with greater ids. If attributes define the " +
			"best process, they take the place of the id.",
		nil,
	},
	Trait{CausalOrder, "No process delivers a broadcast message unless it has delivered all possible causes of it.", []string{FIFOOrder}},
	Trait{DecidesOnce, "A wave ends with one decision. (A wave on a tree that all processes begin has two decisions, and lacks this trait.)", nil},
	Trait{
		DropsSmaller,
		"On the ring, a process that participates in an election forwards only greater ids or, if attributes define the " +
			"best process, ids of better processes.",
		nil,
	},
	Trait{FIFO, "The messages from one process to another arrive in the order in which they were sent.", nil},
	Trait{
		FIFOOrder,
		"No process delivers a broadcast message unless it has delivered the earlier ones of the same sender, whatever the channels do.",
		nil,
	},
	Trait{GreatestWins, "The best process is the one with the greatest id, so an election has to elect the greatest live process.", nil},
	Trait{Guarded, "A process that is holding an election does not begin another one.", nil},
	Trait{Heartbeats, "A leader sends messages as long as it leads, so a run with a leader does not end.", nil},
	Trait{Locks, "The processes also take locks, and record the notes request, enter and exit.", nil},
	Trait{NoCreation, "Each received message was sent, with the same fields.", nil},
	Trait{NoDuplicates, "The network does not duplicate messages.", nil},
	Trait{NoLoss, "The network does not lose messages to a process that stays live.", nil},
	Trait{
		NoRecovery,
		"The algorithm has no rule for recovery: a recovered process may never learn what happened while it was down.",
		nil,
	},
	Trait{Reliable, "The network does not lose or duplicate messages, and each received message was sent.", []string{NoCreation, NoDuplicates, NoLoss}},
	Trait{RequestOrder, "If one request for the critical section happened before another, the first one is granted first.", nil},
	Trait{OnRing, "The processes form a ring in the order of their positions, and each sends to its successor only.", nil},
	Trait{TotalOrder, "Two processes that both deliver two broadcast messages deliver them in the same order.", nil},
)

// Traits returns the registry of the traits that properties of etrace read. A run may state others, for
// third-party properties.
func Traits() text.Registry[Trait] { return traits }

// Limits of the statements in a header, so that no header is expensive.
const (
	maxTraits   = 64
	maxCounters = 256
	longestWord = 64
	longestText = 1000
)

// States reports whether the run states the trait, directly or by another trait that implies it.
func (r *Run) States(trait string) bool {
	return slices.ContainsFunc(r.Traits, func(stated string) bool {
		if stated == trait {
			return true
		}
		t, err := traits.Lookup(stated)
		return err == nil && slices.Contains(t.Includes, trait)
	})
}

// BestID, among the keys of [Run.Best], is the id of a process: its name if all names are numbers, otherwise
// its number among the members.
const BestID = "id"

// LeastOf is the prefix of a key of [Run.Best] whose least value is the best.
const LeastOf = "least:"

// BestKey returns the attribute or variable of a key of [Run.Best], and whether its least value is the best.
func BestKey(key string) (name string, lowest bool) {
	name, lowest = strings.CutPrefix(key, LeastOf)
	return name, lowest
}

// BestKeys returns the keys that define the best process: those of Best, or the id in a run with the trait
// greatest-wins, or those of its problem; nil without any.
func (r *Run) BestKeys() []string {
	switch p, err := problems.Lookup(r.Problem); {
	case len(r.Best) > 0:
		return r.Best
	case r.States(GreatestWins):
		return []string{BestID}
	case err == nil:
		return p.Best
	}
	return nil
}

// validateTraits returns the first mistake in traits, bounds and best keys.
func (r *Run) validateTraits() error {
	if err := r.validateBest(); err != nil {
		return err
	}
	if err := r.validateCounters(); err != nil {
		return err
	}
	if len(r.Traits) > maxTraits || len(r.Bounds) > maxBounds {
		return fmt.Errorf(
			"the run states %d traits and %d bounds, expected at most %d and %d", len(r.Traits),
			len(r.Bounds), maxTraits, maxBounds,
		)
	}
	for i, t := range r.Traits {
		switch {
		case !isTrait(t):
			return fmt.Errorf("trait %s: expected a word in lower case such as %s", text.Quote(t), GreatestWins)
		case slices.Contains(r.Traits[:i], t):
			return fmt.Errorf("the trait %s is given twice", t)
		}
	}
	for i := range r.Bounds {
		if err := r.Bounds[i].validate(); err != nil {
			return fmt.Errorf("bound %d of the messages: %w", i+1, err)
		}
	}
	return r.validateTypes()
}

// validateTypes returns the first mistake in the message types that the run names.
func (r *Run) validateTypes() error {
	for _, named := range []struct {
		key   string
		types []string
	}{{"basic", r.Basic}, {"token", r.Token}} {
		if len(named.types) > maxTraits {
			return fmt.Errorf("%q has %d types, expected at most %d", named.key, len(named.types), maxTraits)
		}
		for i, t := range named.types {
			switch {
			case t == "" || len(t) > longestText || !utf8.ValidString(t):
				return fmt.Errorf("%q: %s, expected the type of a message", named.key, text.Quote(t))
			case slices.Contains(named.types[:i], t):
				return fmt.Errorf("%q has %s twice", named.key, text.Quote(t))
			}
		}
	}
	return nil
}

// validateBest returns the first mistake in the keys of Best: too many, malformed, or repeated.
func (r *Run) validateBest() error {
	if len(r.Best) > maxTraits {
		return fmt.Errorf(`"best" has %d keys, expected at most %d`, len(r.Best), maxTraits)
	}
	for i, key := range r.Best {
		name, lowest := BestKey(key)
		same := func(otherKey string) bool { also, _ := BestKey(otherKey); return also == name }
		switch {
		case strings.HasPrefix(key, "greatest:"):
			name = strings.TrimPrefix(key, "greatest:")
			return fmt.Errorf(`"best": %[1]s, expected %[2]s for the greatest value, or least:%[2]s`, text.Quote(key), text.Printable(name))
		case name == "" || len(name) > longestWord || !utf8.ValidString(key) || lowest && name == BestID:
			return fmt.Errorf(`"best": %s, expected the name of an attribute or a variable, or id`, text.Quote(key))
		case slices.ContainsFunc(r.Best[:i], same):
			return fmt.Errorf(`"best" has %s twice`, text.Quote(name))
		}
	}
	return nil
}

// validateCounters returns the first mistake in the paths of Counters: too many, too long, or repeated.
func (r *Run) validateCounters() error {
	if len(r.Counters) > maxCounters {
		return fmt.Errorf(`"counters" has %d paths, expected at most %d`, len(r.Counters), maxCounters)
	}
	for i, path := range r.Counters {
		switch {
		case path == "" || len(path) > longestText || !utf8.ValidString(path):
			return fmt.Errorf(
				`"counters": %s, expected a path such as clock, promised.counter, queue[].clock or PREPARE:ballot.counter`,
				text.Quote(path),
			)
		case slices.Contains(r.Counters[:i], path):
			return fmt.Errorf(`"counters" has %s twice`, text.Quote(path))
		}
	}
	return nil
}

// isTrait reports whether a word has the form of a trait: lower-case letters, digits and hyphens.
func isTrait(s string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' }
	return s != "" && len(s) <= longestWord && !strings.ContainsFunc(s, func(r rune) bool { return !letter(r) })
}
