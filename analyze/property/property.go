package property

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Registry is a list of properties by name.
type Registry struct {
	text.Registry[*analyze.Property]
}

// Builtin returns the registry of the built-in properties.
func Builtin() Registry { return allProperties }

var allProperties = Registry{text.LateRegistry("property", func() []*analyze.Property { return append(inRules(), monitors...) })}

// monitors are the properties written in Go.
var monitors = []*analyze.Property{
	&agreement,
	&announcementInTheEnd,
	&announcementNotEarly,
	&boundedBypass,
	&broadcastAgreement,
	&broadcastCausalOrder,
	&broadcastFIFOOrder,
	&broadcastNoCreation,
	&broadcastTotalOrder,
	&broadcastUniformAgreement,
	&broadcastValidity,
	&causalDelivery,
	&commitAllYes,
	&commitTermination,
	&consensusIntegrity,
	&consensusTermination,
	&crashRecoveryAlternate,
	&electedHasSeenMost,
	&electionLiveness,
	&electionSafety,
	&electionSafetyAlways,
	&electionSafetyAtAssignment,
	&eventualLeader,
	&fifo,
	&lamportClocks,
	&leaderHasQuorum,
	&leaderIsLive,
	&linearizability,
	&messageComplexity,
	&messageIntegrity,
	&messagesAtMost,
	&mutualExclusion,
	&mutualExclusionDefinitely,
	&mutualExclusionPossibly,
	&noDuplication,
	&noLoss,
	&noStarvation,
	&oneElectionAtATime,
	&raftLeaderAppendOnly,
	&raftLeaderCompleteness,
	&raftLogMatching,
	&raftStateMachineSafety,
	&recoveredRelearns,
	&requestOrderFairness,
	&ringForwardIncreasing,
	&ringListsAgree,
	&ringNoOrphan,
	&ringSuccessorOnly,
	&singleLeader,
	&singleLeaderDefinitely,
	&singleLeaderPossibly,
	&snapshotComplete,
	&snapshotConsistent,
	&sumPreserved,
	&terminationWithin,
	&timersWellBehaved,
	&tokenUnique,
	&uniqueLeaderPerTerm,
	&vectorClocks,
	&waveCovers,
}

// Or returns the registry, or [Builtin] in place of the zero registry.
func Or(r Registry) Registry {
	if r.IsZero() {
		return allProperties
	}
	return r
}

// With returns the registry with more properties. It fails for a missing name, and for a name in use.
func (r Registry) With(more ...*analyze.Property) (Registry, error) {
	longer, err := r.Registry.With(more...)
	return Registry{longer}, err
}

// Default returns the properties that are examined if the user names none: all except stricter variants and those
// with an argument.
func (r Registry) Default() []*analyze.Property {
	return slices.DeleteFunc(r.All(), func(p *analyze.Property) bool { return p.OnRequest || p.Bind != nil })
}

// DefaultAnd returns the properties of [Registry.Default] and those of these names, sorted by name. A named
// property is examined whatever a run promises. The error is that of [Registry.Named].
func (r Registry) DefaultAnd(names ...string) ([]*analyze.Property, error) {
	named, err := r.Named(names...)
	if err != nil {
		return nil, err
	}
	collected := slices.DeleteFunc(r.Default(), func(p *analyze.Property) bool { return slices.Contains(names, p.Name) })
	for _, p := range named {
		asked := *p
		asked.Presumed, asked.Assumes = nil, nil
		collected = append(collected, &asked)
	}
	slices.SortStableFunc(collected, func(p, q *analyze.Property) int { return strings.Compare(p.Name, q.Name) })
	return collected, nil
}

// Named returns the properties of these names, in the order given. The name of a property with an argument
// includes it: termination-within(20). The error suggests the nearest name.
func (r Registry) Named(names ...string) ([]*analyze.Property, error) {
	var found []*analyze.Property
	for _, name := range names {
		p, err := r.named(name)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

func (r Registry) named(s string) (*analyze.Property, error) {
	name, argument, given := strings.Cut(s, "(")
	argument, closed := strings.CutSuffix(argument, ")")
	if given && !closed {
		return nil, fmt.Errorf("property %q: expected a closing parenthesis", s)
	}
	p, err := r.Lookup(name)
	switch {
	// Names with spaces between them are read as one name.
	case err != nil && strings.Contains(strings.TrimSpace(s), " ") && !given:
		return nil, fmt.Errorf("%w; names have commas between them", err)
	case err != nil && text.Nearest(name, r.Names()) == "":
		return nil, fmt.Errorf("%w; etrace list properties shows all", err)
	case err != nil:
		return nil, err
	case p.Bind == nil && given:
		return nil, fmt.Errorf("property %s takes no argument", name)
	case p.Bind == nil:
		return p, nil
	case !given:
		return nil, fmt.Errorf("property %s: expected an argument, %s(%s)", name, name, p.Argument)
	}
	bound, err := p.Bind(argument)
	if err != nil {
		return nil, fmt.Errorf("property %s: %w", s, err)
	}
	return bound, nil
}

// names lists processes for an explanation, up to a limit.
func names(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	list := make([]string, len(ps))
	for i, p := range ps {
		list[i] = run.ProcessName(p)
	}
	return text.Some(list, 8)
}

// short returns a JSON value for an explanation, cut to a readable length.
func short(value []byte) string { return text.Short(string(value), 41) }

// withArgument returns the property with a Bind that creates its monitors for an argument, as parsed by parse.
func withArgument[T any](p analyze.Property, parse func(argument string) (T, error),
	monitor func(run *tracefmt.Run, argument T) analyze.Monitor,
) analyze.Property {
	unbound := p
	p.Bind = func(argument string) (*analyze.Property, error) {
		value, err := parse(argument)
		if err != nil {
			return nil, err
		}
		bound := unbound
		bound.Name = fmt.Sprintf("%s(%s)", p.Name, argument)
		bound.New = func(run *tracefmt.Run) analyze.Monitor { return monitor(run, value) }
		return &bound, nil
	}
	return p
}

// The sources of several properties.
const (
	chandyLamport       = "Chandy, Lamport, Distributed snapshots: determining global states of distributed systems, 1985"
	cooperMarzullo      = "Cooper, Marzullo, Consistent Detection of Global Predicates, 1991"
	dijkstra1965        = "Dijkstra, Solution of a Problem in Concurrent Programming Control, 1965"
	gray                = "Gray, Notes on data base operating systems, 1978"
	dijkstraScholten    = "Dijkstra, Scholten, Termination detection for diffusing computations, 1980"
	garciaMolina        = "Garcia-Molina, Elections in a Distributed Computing System, 1982, the bully algorithm"
	lamport1978         = "Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978"
	raftPaper           = "Ongaro, Ousterhout, In Search of an Understandable Consensus Algorithm, 2014"
	reliableProgramming = "Cachin, Guerraoui, Rodrigues, Introduction to Reliable and Secure Distributed Programming, 2011"
	slides              = "Slides, CSE 486/586 Distributed Systems, Leader Election"
	suzukiKasami        = "Suzuki, Kasami, A distributed mutual exclusion algorithm, 1985"
	tel                 = "Tel, Introduction to Distributed Algorithms, 2000"
	zabPaper            = "Junqueira, Reed, Serafini, Zab: High-performance broadcast for primary-backup systems, 2011"
	zabPractice         = "Medeiros, ZooKeeper's atomic broadcast protocol: Theory and practice, 2012"
)
