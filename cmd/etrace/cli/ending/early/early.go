// Package early has the signals that ask a command to end heard before the packages of other modules are initialised,
// which takes ten milliseconds and more. A main package imports it for that effect, beside cli:
//
//	import _ "etrace/cmd/etrace/cli/ending/early"
//
// Go initialises packages in the order of their import paths, each as soon as all that it imports is initialised. So
// this one needs nothing but package ending, which needs little of the standard library.
package early

import "etrace/cmd/etrace/cli/ending"

func init() { ending.Hear() }
