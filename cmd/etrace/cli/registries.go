package cli

import (
	"cmp"

	"etrace/analyze"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/render"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/render/notation"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/text"
)

// registries are the things that etrace knows by name: those of its own, and
// those that a program adds which links it.
type registries struct {
	algorithms algorithm.Registry
	properties property.Registry
	formats    interop.Registry
	diagrams   diagram.Registry
	pictures   render.Registry

	reports      text.Registry[*report.Format]
	suiteReports text.Registry[*suite.Format]
}

// An Option adds to what etrace knows. What it adds is recorded, checked, drawn,
// listed, explained and completed like the things of etrace itself. A name that
// is taken is an error, which every command line then ends with.
type Option func(*registries) error

// Algorithms adds algorithms.
func Algorithms(more ...*algorithm.Algorithm) Option {
	return func(r *registries) (err error) {
		r.algorithms, err = r.algorithms.With(more...)
		return err
	}
}

// Properties adds properties. They are examined by default, unless they are
// OnRequest or take an argument.
func Properties(more ...*analyze.Property) Option {
	return func(r *registries) (err error) {
		r.properties, err = r.properties.With(more...)
		return err
	}
}

// Formats adds foreign formats, and their options to the flags of import and
// export.
func Formats(more ...interop.Format) Option {
	return func(r *registries) (err error) {
		if r.formats, err = r.formats.With(more...); err != nil {
			return err
		}
		_, readErr := interop.OptionsToRead(r.formats)
		_, writeErr := interop.OptionsToWrite(r.formats)
		return cmp.Or(readErr, writeErr)
	}
}

// Diagrams adds diagrams.
func Diagrams(more ...diagram.Diagram) Option {
	return func(r *registries) (err error) {
		r.diagrams, err = r.diagrams.With(more...)
		return err
	}
}

// Pictures adds formats in which drawings are written.
func Pictures(more ...format.Format) Option {
	return func(r *registries) (err error) {
		for _, f := range more {
			if r.pictures, err = r.pictures.With(render.Drawn(f)); err != nil {
				break
			}
		}
		return err
	}
}

// Notations adds notations in which a run is written as the text of a diagram.
func Notations(more ...notation.Notation) Option {
	return func(r *registries) (err error) {
		for _, n := range more {
			if r.pictures, err = r.pictures.With(render.Written(n)); err != nil {
				break
			}
		}
		return err
	}
}

// Reports adds forms of the report of check.
func Reports(more ...*report.Format) Option {
	return func(r *registries) (err error) {
		r.reports, err = r.reports.With(more...)
		return err
	}
}

// SuiteReports adds forms of the report of suite.
func SuiteReports(more ...*suite.Format) Option {
	return func(r *registries) (err error) {
		r.suiteReports, err = r.suiteReports.With(more...)
		return err
	}
}

// newRegistries returns those of etrace with the options.
func newRegistries(options ...Option) (registries, error) {
	known := registries{
		algorithms: builtin.Algorithms(), properties: property.Builtin(), formats: formats.Builtin(),
		diagrams: diagram.Builtin(), pictures: render.Formats(), reports: report.Formats(), suiteReports: suite.Formats(),
	}
	for _, add := range options {
		if err := add(&known); err != nil {
			return known, err
		}
	}
	return known, nil
}

// known is what suites may name.
func (k *registries) known() suite.Known {
	return suite.Known{Algorithms: k.algorithms, Properties: k.properties}
}
