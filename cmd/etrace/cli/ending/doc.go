// Package ending turns signals into the end of a context. Package early makes the process receive signals from its first
// millisecond on, while the packages of the program are still initialised.
package ending
