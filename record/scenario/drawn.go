package scenario

import "etrace/record/sim/network"

// Drawn reports whether the seed decides anything of the run but what processes draw
// themselves (see sim.Protocol.Draws): the order of the ring, the graph, or what becomes of
// messages.
func (s *Scenario) Drawn() bool {
	chance := func(p Probability) bool { return p > 0 && p < 1 }
	return s.Shuffle || s.Topology.Drawn() || chance(s.Loss) || chance(s.Duplicate) || s.Delay.Distribution != network.Fixed
}
