package snapshot

import "etrace/analyze"

// Properties are the properties of snapshots and waves that are written in Go.
var Properties = []*analyze.Property{
	&snapshotComplete,
	&snapshotConsistent,
	&sumPreserved,
	&waveCovers,
}
