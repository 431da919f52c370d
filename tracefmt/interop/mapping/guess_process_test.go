package mapping_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestProcessColumn: a column of the head without digits names the process where no single process would write the
// lines.
func TestProcessColumn(t *testing.T) {
	logs := map[string]string{
		"terms that fall": "paris became leader term=1\nrome became candidate term=2\noslo became follower term=1\n" +
			"rome became leader term=2\nparis became follower term=2",
		"one role twice": "paris boot ok\nrome boot ok\noslo boot ok\nparis became leader in term 2\nrome became leader in term 2\n" +
			"oslo became follower in term 2",
		"entries together": "paris acquired lock\nrome acquired lock\nparis released lock\nrome released lock",
		"names of others": "paris boot ok\nrome boot ok\nparis following oslo in term 1\nrome following oslo in term " +
			"1\noslo following oslo in term 1",
	}
	for name, log := range logs {
		for _, form := range []string{"[%s] ", "%s: ", "%s - ", "%s | ", "<%s> ", "[node=%s] ", "[INFO] [%s] "} {
			var b strings.Builder
			for i, line := range strings.Split(log, "\n") {
				writer, words, _ := strings.Cut(line, " ")
				fmt.Fprintf(&b, "2026-05-01T10:00:0%d.000Z "+form+"%s\n", i, writer, words)
			}
			m := suggest(t, []string{"x.log", b.String()})
			if !strings.Contains(m, "paris and rome.\n") || strings.Contains(m, "it is the file") {
				t.Errorf("%s in the form %q\n%s", name, form, m)
			}
		}
	}
}

// TestProcessColumnUnsure: parts of one program claim nothing that refutes that they are one process. The guess reads
// the file as one process, and notes that it may be several if they make the same claims.
func TestProcessColumnUnsure(t *testing.T) {
	for _, tt := range []struct {
		log    string
		unsure bool
	}{
		{"raft became follower term=1\ntimer became candidate term=2\nraft became follower term=3\nraft became leader term=4", false},
		{"raft became follower term=1\ntimer became follower term=2\nraft became leader term=3", true},
	} {
		var b strings.Builder
		for i, line := range strings.Split(tt.log, "\n") {
			part, words, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, "2026-05-01T10:00:0%d.000Z [%s] %s\n", i, part, words)
		}
		m := suggest(t, []string{"x.log", b.String()})
		if !strings.Contains(m, "it is the file, x") || strings.Contains(m, "though raft and timer in ${word2} may be several") != tt.unsure {
			t.Errorf("%v\n%s", tt.unsure, m)
		}
	}
}
