package scenario

import "etrace/record/sim/network"

// Drawn reports whether the run depends on the seed: by the order of the ring, the graph, or the fates of
// messages. It ignores the draws of the processes themselves, see sim.Protocol.Draws.
func (s *Scenario) Drawn() bool {
	chance := func(p Probability) bool { return p > 0 && p < 1 }
	return s.Shuffle || s.Topology.Drawn() || chance(s.Loss) || chance(s.Duplicate) || s.Delay.Distribution != network.Fixed
}
