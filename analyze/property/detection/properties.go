package detection

import "etrace/analyze"

// Properties are the properties of the detection that a computation has ended that are written in Go.
var Properties = []*analyze.Property{
	&announcementInTheEnd,
	&announcementNotEarly,
}
