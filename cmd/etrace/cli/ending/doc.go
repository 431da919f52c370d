// Package ending hears the signals that ask a command to end. Package early has them heard from the first millisecond
// of a process on, while the packages that the program links are still initialised.
package ending
