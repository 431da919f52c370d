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

// Builtin returns the registry of the properties that come with etrace.
func Builtin() Registry { return all }

var all = Registry{text.NewRegistry(
	"property",
	&agreement,
	&boundedBypass,
	&broadcastAgreement,
	&broadcastCausalOrder,
	&broadcastFIFOOrder,
	&broadcastNoCreation,
	&broadcastNoDuplication,
	&broadcastTotalOrder,
	&broadcastValidity,
	bullyElectionUpward,
	&causalDelivery,
	&consensusAgreement,
	&consensusIntegrity,
	&consensusTermination,
	&consensusValidity,
	&crashRecoveryAlternate,
	electionAnswered,
	&electionLiveness,
	&electionSafety,
	&electionSafetyAlways,
	&electionSafetyAtAssignment,
	&eventualLeader,
	&fifo,
	&lamportClocks,
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
	&noStepWhenCrashed,
	&oneElectionAtATime,
	&processTimeMonotone,
	&raftLeaderAppendOnly,
	&raftLeaderCompleteness,
	&raftLogMatching,
	&raftStateMachineSafety,
	&recoveredRelearns,
	&requestOrderFairness,
	&ringForwardIncreasing,
	&ringNoOrphan,
	&ringSuccessorOnly,
	&singleLeader,
	&singleLeaderDefinitely,
	&singleLeaderPossibly,
	termMonotone,
	&terminationWithin,
	&timersWellBehaved,
	uniqueLeaderPerTerm,
	&vectorClocks,
	voteOncePerTerm,
)}

// Or returns the registry, or, in place of the zero one, that of [Builtin].
func Or(r Registry) Registry {
	if r.IsZero() {
		return all
	}
	return r
}

// With returns the registry with more properties. A missing name, or one that
// is taken, is an error.
func (r Registry) With(more ...*analyze.Property) (Registry, error) {
	longer, err := r.Registry.With(more...)
	return Registry{longer}, err
}

// Default returns the properties that are examined when none is named: all but
// the stricter readings and those that need an argument.
func (r Registry) Default() []*analyze.Property {
	return slices.DeleteFunc(r.All(), func(p *analyze.Property) bool { return p.OnRequest || p.Bind != nil })
}

// Named returns the properties of these names, in the order given. A property
// that takes an argument is named with it: termination-within(20). The error
// suggests the nearest name.
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

// owe states what is not as it should be at the end of a run that was
// stopped, where the rest of the run might still mend it.
func owe(r *analyze.Result, end analyze.Ending, explain func() string, witness ...tracefmt.Seq) {
	if end.Final() {
		r.Violate(explain, witness...)
	} else {
		r.Owe(explain())
	}
}

// names lists processes for an explanation, at most a handful.
func names(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	list := make([]string, len(ps))
	for i, p := range ps {
		list[i] = run.ProcessName(p)
	}
	return text.Some(list, 8)
}

// short is a JSON value for an explanation, cut to a length that can be read.
func short(value []byte) string { return text.Short(string(value), 41) }
