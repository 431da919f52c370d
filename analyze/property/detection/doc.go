// Package detection has the properties of detectors that announce the end of a computation.
package detection
