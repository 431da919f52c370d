// Package broadcast has the properties of broadcasts that are written in Go: agreement, validity, and the orders of
// deliveries.
package broadcast
