package consensus

import "etrace/analyze"

// Properties are the properties of consensus and of atomic commitment that are written in Go.
var Properties = []*analyze.Property{
	&commitAllYes,
	&commitTermination,
	&consensusIntegrity,
	&consensusTermination,
}
