// Package analyze decides properties of runs after the fact. It makes one
// pass over the events of a run, keeps the state that they tell (package
// replay), and asks each property in turn. It knows nothing of the algorithm
// that made the run.
package analyze
