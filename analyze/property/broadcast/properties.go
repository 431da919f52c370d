package broadcast

import "etrace/analyze"

// Properties are the properties of broadcast that are written in Go.
var Properties = []*analyze.Property{
	&broadcastAgreement,
	&broadcastCausalOrder,
	&broadcastFIFOOrder,
	&broadcastNoCreation,
	&broadcastTotalOrder,
	&broadcastUniformAgreement,
	&broadcastValidity,
}
