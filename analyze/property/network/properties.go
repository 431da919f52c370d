package network

import "etrace/analyze"

// Properties are the properties of channels, clocks, timers and restarts, in runs of any problem that are written in
// Go.
var Properties = []*analyze.Property{
	&causalDelivery,
	&crashRecoveryAlternate,
	&fifo,
	&lamportClocks,
	&messageComplexity,
	&messageIntegrity,
	&messagesAtMost,
	&noDuplication,
	&noLoss,
	&terminationWithin,
	&timersWellBehaved,
	&vectorClocks,
}
