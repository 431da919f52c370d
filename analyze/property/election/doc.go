// Package election has the properties of elections that are written in Go: who leads, who is elected, and by which
// right. Most read the fold of elections.go, which has the choice of each process.
package election
