// Package operation decides whether the operations of clients are linearizable.
package operation
