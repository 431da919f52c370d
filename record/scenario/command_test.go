package scenario

import "testing"

// The command line has the values of the file, quoted where a shell would read them otherwise.
func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"algorithm: ring\nids: 1-4\nstart: 2", "ring --ids 1-4 --start 2@0"},
		{"algorithm: bully\nids: 3,1\nslow: ['OK:3>1#1=4.5']\ndrop: '*:1>*'", `bully --ids 3,1 --drop '*:1>*' --slow 'OK:3>1#1=4.5'`},
		{"algorithm: bully\nids: 1-2\nreorder: true\ndelay: uniform(0.5,1)", `bully --ids 1,2 --delay 'uniform(0.5,1)' --reorder=on`},
		{"name: it's\nalgorithm: bully\nids: 1\ntimeout: 5\nseed: -3", `bully --name 'it'\''s' --ids 1 --param timeout=5 --seed -3`},
	} {
		s, err := Parse("f.yaml", []byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CommandLine(); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.file, got, c.want)
		}
	}
}
