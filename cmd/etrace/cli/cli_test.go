package cli

import "testing"

// newApp returns the command without streams, for what its commands say of
// themselves.
func newApp(t *testing.T) *app {
	t.Helper()
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	return &app{Known: known}
}
