package property

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// all is in the order of the names.
var all = []*analyze.Property{
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
}

// All returns every property, sorted by name.
func All() []*analyze.Property { return slices.Clone(all) }

// Default returns the properties that are examined when none is named: all but
// the stricter readings and those that need an argument.
func Default() []*analyze.Property {
	return slices.DeleteFunc(All(), func(p *analyze.Property) bool { return p.OnRequest || p.Bind != nil })
}

// Lookup returns the properties of these names, in the order given. A property
// that takes an argument is named with it: termination-within(20). The error
// suggests the nearest name.
func Lookup(names []string) ([]*analyze.Property, error) {
	var found []*analyze.Property
	for _, name := range names {
		p, err := lookup(name)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

func lookup(s string) (*analyze.Property, error) {
	name, argument, given := strings.Cut(s, "(")
	argument, closed := strings.CutSuffix(argument, ")")
	i := slices.IndexFunc(all, func(p *analyze.Property) bool { return p.Name == name })
	switch {
	case given && !closed:
		return nil, fmt.Errorf("property %q: expected a closing parenthesis", s)
	case i < 0:
		var known []string
		for _, p := range all {
			known = append(known, p.Name)
		}
		return nil, text.Unknown("property", name, known)
	case all[i].Bind == nil && given:
		return nil, fmt.Errorf("property %s takes no argument", name)
	case all[i].Bind == nil:
		return all[i], nil
	case !given:
		return nil, fmt.Errorf("property %s: expected an argument, %s(%s)", name, name, all[i].Argument)
	}
	p, err := all[i].Bind(argument)
	if err != nil {
		return nil, fmt.Errorf("property %s: %w", s, err)
	}
	return p, nil
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
	const most = 8
	var list []string
	for i, p := range ps {
		if i == most {
			return strings.Join(list, ", ") + fmt.Sprintf(" and %d more", len(ps)-most)
		}
		list = append(list, run.ProcessName(p))
	}
	return strings.Join(list, ", ")
}

// short is a JSON value for an explanation, cut to a length that can be read.
func short(value []byte) string {
	const most = 40
	if len(value) <= most {
		return string(value)
	}
	return strings.ToValidUTF8(string(value[:most]), "") + "…"
}
