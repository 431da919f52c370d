package property

import (
	"embed"
	"io/fs"

	"etrace/analyze"
	"etrace/analyze/spec"
)

// The properties written in the rule language; see package spec and docs/language.md.
//
//go:embed rules
var ruleFiles embed.FS

// inRules returns the properties of rules/*.rules, one file for each problem.
func inRules() (properties []*analyze.Property) {
	files, err := fs.Glob(ruleFiles, "rules/*.rules")
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		text, err := ruleFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		properties = append(properties, spec.Library(name, string(text))...)
	}
	return properties
}
