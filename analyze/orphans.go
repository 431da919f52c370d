package analyze

import "etrace/tracefmt"

// orphans maps each sender to the first receive or loss of a message of it whose send is not recorded.
type orphans map[tracefmt.ProcessID]tracefmt.Seq

// step takes the next event.
func (o orphans) step(e *tracefmt.Event) {
	if e.Cause != 0 || e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		return
	}
	if o[e.Peer] == 0 {
		o[e.Peer] = e.Seq
	}
}

// refutes reports whether an orphan contradicts a declaration that all sends are recorded.
func (o orphans) refutes(c *tracefmt.Coverage) bool {
	for sender, seq := range o {
		if !c.Missing(sender, tracefmt.Fact{Kind: tracefmt.Send}, 0, seq) {
			return true
		}
	}
	return false
}
