package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/lint"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/cmd/etrace/cli/catalog"
	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/render"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/render/notation"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/interop/logs"
	"etrace/tracefmt/interop/mapping"
)

// An Option adds to the algorithms, properties and formats that etrace knows. All commands use an addition like a built-in
// one. If its name is taken, every command line fails.
type Option func(*catalog.Known) error

// Algorithms adds algorithms.
func Algorithms(more ...*algorithm.Algorithm) Option {
	return func(r *catalog.Known) (err error) {
		r.Algorithms, err = r.Algorithms.With(more...)
		return err
	}
}

// Properties adds properties. They are examined by default, unless they are
// OnRequest or take an argument.
func Properties(more ...*analyze.Property) Option {
	return func(r *catalog.Known) (err error) {
		r.Properties, err = r.Properties.With(more...)
		return err
	}
}

// Formats adds foreign formats, and their options to the flags of import and
// export.
func Formats(more ...interop.Format) Option {
	return func(r *catalog.Known) (err error) {
		r.Formats, err = r.Formats.With(more...)
		if err != nil {
			return err
		}
		return cmp.Or(checkOptions(interop.OptionsToRead(r.Formats)), checkOptions(interop.OptionsToWrite(r.Formats)))
	}
}

// flagsOfFiles are the flags of import and export that do not come from a format.
var flagsOfFiles = []string{
	"crashed", "end", "explain-map", "files", "follow", "join", "match", "order", "part", "piece", "suggest",
	"force", "from", "help", "json", "output", "quiet",
	"redact", "run", "salvage", "strict", "complete", "to",
}

// checkOptions returns an error if an option of a format has the name of another flag of import or export. err is an earlier
// error, which it returns otherwise.
func checkOptions(options []interop.SharedOption, err error) error {
	for _, o := range options {
		if slices.Contains(flagsOfFiles, o.Name) {
			return fmt.Errorf("format %s: the option %s is a flag of import or export, expected another name", strings.Join(o.Formats, ", "), o.Name)
		}
	}
	return err
}

// Diagrams adds diagrams.
func Diagrams(more ...diagram.Diagram) Option {
	return func(r *catalog.Known) (err error) {
		r.Diagrams, err = r.Diagrams.With(more...)
		return err
	}
}

// Pictures adds formats in which drawings are written.
func Pictures(more ...format.Format) Option {
	return func(r *catalog.Known) (err error) {
		for _, f := range more {
			r.Pictures, err = r.Pictures.With(render.Drawn(f))
			if err != nil {
				break
			}
		}
		return err
	}
}

// Notations adds notations in which a run is written as the text of a diagram.
func Notations(more ...notation.Notation) Option {
	return func(r *catalog.Known) (err error) {
		for _, n := range more {
			r.Pictures, err = r.Pictures.With(render.Written(n))
			if err != nil {
				break
			}
		}
		return err
	}
}

// Reports adds forms of the report of check.
func Reports(more ...*report.Format) Option {
	return func(r *catalog.Known) (err error) {
		r.Reports, err = r.Reports.With(more...)
		return err
	}
}

// SuiteReports adds forms of the report of suite.
func SuiteReports(more ...*suite.Format) Option {
	return func(r *catalog.Known) (err error) {
		r.SuiteReports, err = r.SuiteReports.With(more...)
		return err
	}
}

// StatsReports adds forms of the report of stats.
func StatsReports(more ...*complexity.Format) Option {
	return func(r *catalog.Known) (err error) {
		r.StatsReports, err = r.StatsReports.With(more...)
		return err
	}
}

// LintRules adds rules of lint.
func LintRules(more ...*lint.Rule) Option {
	return func(r *catalog.Known) (err error) {
		r.LintRules, err = r.LintRules.With(more...)
		return err
	}
}

// Maps adds ready maps. import recognises logs by the signs of the maps.
func Maps(more ...*mapping.Map) Option {
	return func(r *catalog.Known) error {
		maps, err := r.Maps().With(more...)
		if err != nil {
			return err
		}
		r.Maps = func() mapping.Registry { return maps }
		r.Formats, err = r.Formats.Replacing(logs.FormatOf(maps))
		return err
	}
}

// knownWith returns the built-in registries with the additions of the options.
func knownWith(options ...Option) (catalog.Known, error) {
	known := catalog.Known{
		Algorithms: builtin.Algorithms(), Properties: property.Builtin(), Formats: formats.Builtin(),
		Diagrams: diagram.Builtin(), Pictures: render.Formats(), Reports: report.Formats(), SuiteReports: suite.Formats(),
		StatsReports: complexity.Formats(),
		LintRules:    lint.Rules(), Maps: mapping.Ready,
	}
	for _, add := range options {
		if err := add(&known); err != nil {
			return known, err
		}
	}
	return known, nil
}

// known returns the algorithms and properties that suites may name.
func (a *app) known() suite.Known {
	return suite.Known{Algorithms: a.Algorithms, Properties: a.Properties}
}
