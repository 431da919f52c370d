// Package wave has algorithms in which every process takes part before one of them
// decides.
package wave
