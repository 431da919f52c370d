package operation

import "etrace/analyze"

// Properties are the properties of the operations of clients that are written in Go.
var Properties = []*analyze.Property{
	&linearizability,
}
