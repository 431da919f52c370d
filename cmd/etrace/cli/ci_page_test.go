package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// jobBlock is a job on docs/ci.md, jobCommand a command of etrace in it, without where its output goes.
var (
	jobBlock   = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	jobCommand = regexp.MustCompile(`(?m)^[ -]*(?:run: )?etrace ([^>\n]*[^> \n])`)
)

// TestCIPage: the commands of docs/ci.md print of its files what it shows, and so do its jobs, which pass on these logs
// and fail where a second process leads in a term.
func TestCIPage(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := mustRead(t, name)
	t.Chdir(t.TempDir())
	for _, f := range pageFile.FindAllStringSubmatch(page, -1) {
		mustWrite(t, f[1], f[2])
	}
	pageShows(t, name, page)
	twoLeaders := strings.Replace(mustRead(t, "n2.log"), "leader term=2", "leader term=1", 1)
	jobs := jobBlock.FindAllStringSubmatch(page, -1)
	if len(jobs) != 2 {
		t.Errorf("%d jobs, expected one of GitHub and one of GitLab", len(jobs))
	}
	for _, job := range jobs {
		var parsed any
		if err := yaml.Unmarshal([]byte(job[1]), &parsed); err != nil {
			t.Errorf("a job: %v", err)
		}
		var check string
		for _, found := range jobCommand.FindAllStringSubmatch(job[1], -1) {
			command := strings.Replace(found[1], "*.log", "n1.log n2.log n3.log", 1)
			succeeds(t, command)
			if check == "" {
				check = command
			}
		}
		good := mustRead(t, "n2.log")
		mustWrite(t, "n2.log", twoLeaders)
		if _, status := runOf(t, check); status != exitBad {
			t.Errorf("etrace %s: exit status %d where two processes lead in term 1, expected 1", check, status)
		}
		mustWrite(t, "n2.log", good)
		for _, made := range []string{"run.db", "run.svg", "run.html"} {
			if err := os.RemoveAll(made); err != nil {
				t.Fatal(err)
			}
		}
	}
}
