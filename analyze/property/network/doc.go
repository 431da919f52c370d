// Package network has the properties of any run: of channels and messages, clocks, timers, and the end.
package network
