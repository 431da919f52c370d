// Package cli is the command line of etrace, one file per command. A command
// turns flags into options, calls a library, prints, and computes nothing
// itself.
package cli
