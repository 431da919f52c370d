package shard

import (
	"embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"
	"unicode"

	"etrace/tracefmt/text"
)

// Job is a way to run the shards of a plan that needs only one file, such as a script for Slurm.
type Job struct{ Name, Doc string }

// Key implements [text.Named].
func (j Job) Key() string { return j.Name }

// Jobs returns the registry of jobs.
func Jobs() text.Registry[Job] { return jobs }

var jobs = text.NewRegistry("job",
	Job{"kubernetes", "an Indexed Job of Kubernetes, a pod for each shard"},
	Job{"parallel", "a script that has GNU parallel check the shards on this machine"},
	Job{"slurm", "a batch script of Slurm, an array with a task for each shard"},
)

//go:embed jobs/*.txt
var jobTexts embed.FS

// podsAtATime is the greatest number of pods of a job that run at the same time.
const podsAtATime = 64

// Write writes the job for the plan in the given file. The folders of slices and results are next to the plan.
func (j Job) Write(w io.Writer, p *Plan, file string) error {
	if strings.ContainsFunc(file, unicode.IsControl) {
		return fmt.Errorf("%s: a job cannot name the plan, expected a name without line breaks", text.Quote(file))
	}
	form, err := template.ParseFS(jobTexts, "jobs/"+j.Name+".txt")
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	return form.Execute(w, map[string]any{
		"Plan": shellWord(file), "Slices": shellWord(base + ".slices"), "Found": shellWord(base + ".found"),
		"Name": p.ID[:min(8, len(p.ID))], "Sliced": p.Mode == Events,
		"Shards": p.Shards, "Last": p.Shards - 1, "AtATime": min(p.Shards, podsAtATime),
	})
}

// shellWord quotes a text as one word of the shell. It also protects a hyphen at the beginning, which would begin a
// flag.
func shellWord(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("_-./", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
