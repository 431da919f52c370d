package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLab: the page is written to a file, or to a folder that is made for it.
func TestLab(t *testing.T) {
	defer func(page string) { labPage = page }(labPage)
	labPage = "<p>lab</p>"
	folder := t.TempDir()
	for output, file := range map[string]string{"page.html": "page.html", "a/lab/": "a/lab/index.html"} {
		var out, errOut bytes.Buffer
		status := RunContext(t.Context(), []string{"lab", "-o", folder + "/" + output},
			strings.NewReader(""), &out, &errOut)
		page, err := os.ReadFile(filepath.Join(folder, file))
		if status != 0 || err != nil || string(page) != labPage || out.String() != filepath.Join(folder, file)+"\n" {
			t.Errorf("-o %s: status %d, %v, %q, stdout %q, stderr %q", output, status, err, page, out.String(), errOut.String())
		}
	}
	labPage = ""
	if status := RunContext(t.Context(), []string{"lab"}, strings.NewReader(""), io.Discard, io.Discard); status != 2 {
		t.Errorf("without a page: status %d, want 2", status)
	}
}
