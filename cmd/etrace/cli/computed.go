package cli

import "time"

// started is the time at which the process began.
var started = time.Now()
