// Package snapshot has the properties of recorded global states, and of waves.
package snapshot
