package cli

import "time"

// started is when the process began.
var started = time.Now()
