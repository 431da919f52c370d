package main

import (
	"testing"

	"etrace/fixtures/notice"
)

// TestThirdParty: THIRD_PARTY.txt has the licence texts of all modules that etrace-mcp links, and of no other.
func TestThirdParty(t *testing.T) {
	notice.Test(t, "THIRD_PARTY.txt", "etrace/cmd/etrace-mcp")
}
