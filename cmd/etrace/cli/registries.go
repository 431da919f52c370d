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
	"etrace/tracefmt/interop/mapping"
)

// An Option adds to the things that etrace knows. Commands record, check, draw, list, explain and complete the
// additions like built-in things. A name that is taken makes every command line fail.
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
		return cmp.Or(ownFlags(interop.OptionsToRead(r.Formats)), ownFlags(interop.OptionsToWrite(r.Formats)))
	}
}

// flagsOfFiles are the flags of import and export that belong to no format.
var flagsOfFiles = []string{
	"crashed", "end", "explain-map", "follow", "suggest", "force", "from", "help", "json", "output", "quiet",
	"redact", "run", "salvage", "strict", "complete", "to",
}

// ownFlags refuses options of formats that import or export have as a flag.
func ownFlags(options []interop.SharedOption, err error) error {
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

// Maps adds ready maps, by which import reads logs that show their signs.
func Maps(more ...*mapping.Map) Option {
	return func(r *catalog.Known) error {
		maps, err := r.Maps().With(more...)
		if err != nil {
			return err
		}
		r.Maps = func() mapping.Registry { return maps }
		r.Formats, err = r.Formats.Replacing(mapping.FormatOf(maps))
		return err
	}
}

// knownWith returns what etrace knows with the options.
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

// known has the names that suites may use.
func (a *app) known() suite.Known {
	return suite.Known{Algorithms: a.Algorithms, Properties: a.Properties}
}
