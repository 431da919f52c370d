// Package early receives the signals that ask a command to end before the packages of other modules are initialised, which
// takes more than ten milliseconds. A main package imports it for that effect, beside cli:
//
//	import _ "etrace/cmd/etrace/cli/ending/early"
//
// Go initialises packages in the order of their import paths, each after the packages that it imports. So this package
// imports only package ending, which imports little of the standard library.
package early

import "etrace/cmd/etrace/cli/ending"

func init() { ending.Hear() }
