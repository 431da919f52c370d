// Package consensus has the properties of consensus and of atomic commitment that are written in Go.
package consensus
