// Package planned reads from the scenario of a run which processes start, and which faults are planned. It
// reads the words without executing them.
package planned
