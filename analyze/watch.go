package analyze

import "etrace/tracefmt"

// Watch returns a writer that examines a run while it goes on, and calls broken at violations, see [Options]. The run
// has all its members. [Check] decides the properties at the end.
func Watch(run *tracefmt.Run, properties []*Property, broken func(*Result)) tracefmt.Writer {
	return newChecker(run, loop{}, properties, Options{Broken: broken})
}
