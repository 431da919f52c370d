package property

import (
	"embed"
	"io/fs"

	"etrace/analyze"
	"etrace/analyze/spec"
)

// The properties that are written in the language of rules; see package spec and docs/language.md.
//
//go:embed rules
var ruleFiles embed.FS

// inRules returns the properties of rules/*.rules, one file for each problem.
func inRules() (all []*analyze.Property) {
	files, err := fs.Glob(ruleFiles, "rules/*.rules")
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		text, err := ruleFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		all = append(all, spec.Library(name, string(text))...)
	}
	return all
}
