package cli

import "testing"

// newApp returns the command without streams, to inspect the help of its commands.
func newApp(t *testing.T) *app {
	t.Helper()
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	return &app{Known: known}
}
