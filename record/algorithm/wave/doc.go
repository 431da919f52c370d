// Package wave has algorithms in which every process participates before one of them decides.
package wave
