package spec

// SetMostSteps sets how many steps a search for cuts may take, and returns a
// function that sets it back.
func SetMostSteps(n int) (restore func()) {
	was := maxSteps
	maxSteps = n
	return func() { maxSteps = was }
}

// SetBounds sets how many pairs of events a rule may try, and how many events
// it may keep; it returns a function that sets them back.
func SetBounds(tries, past int) (restore func()) {
	wasTries, wasPast := maxTries, maxPast
	maxTries, maxPast = tries, past
	return func() { maxTries, maxPast = wasTries, wasPast }
}
