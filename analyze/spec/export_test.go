package spec

// SetMostSteps sets how many steps a search for cuts may take, and returns a
// function that sets it back.
func SetMostSteps(n int) (restore func()) {
	was := mostSteps
	mostSteps = n
	return func() { mostSteps = was }
}

// SetBounds sets how many pairs of events a rule may try, and how many events
// it may keep; it returns a function that sets them back.
func SetBounds(tries, past int) (restore func()) {
	wasTries, wasPast := mostTries, mostPast
	mostTries, mostPast = tries, past
	return func() { mostTries, mostPast = wasTries, wasPast }
}
