package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"etrace/render"
	"etrace/render/drawing"
	"etrace/render/view"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// renderFlags are the flags of render.
type renderFlags struct {
	traceArgs
	witnessFlags
	diagrams []string
	format   string
	given    bool // --format was given
	suited   bool // --diagram was not given: the run decides the diagram
	anyRun   bool // draw the first run with a witness
	out      outFile
	view     view.Selection
	title    string
	axis     string
	spans    []string
	cut      string
	fit      string
	aspect   string
	frames   string
	legend   string
	theme    string
	tile     bool
}

func (a *app) renderCommand() *cobra.Command {
	f := &renderFlags{}
	cmd := &cobra.Command{
		Use:   "render [TRACE]",
		Short: "Draw runs",
		Long: `Draw a run as a diagram: ` + text.Or(a.Diagrams.Names()) + `. The file is TRACE.DIAGRAM.FORMAT,
without .db. --witness shows the events of a counterexample, numbered, others faint.

--from, --to, --around and --past take places: a seq, t=TIME, end, or a pattern such as 'crash @3'.

etrace explain picture describes rows, bars, cuts and graphs; etrace list pictures the formats.`,
		Example: `  etrace render --format svg
  etrace render runs.db --run 1 --witness single-leader
  etrace render --fit 1280x720 -o slide.svg`,
		Args: a.oneTrace,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given, f.suited = cmd.Flags().Changed("format"), !cmd.Flags().Changed("diagram")
			f.anyRun = f.wanted() && !cmd.Flags().Changed("run")
			if f.anyRun {
				f.runs = "all"
			}
			return a.render(cmd.Context(), f, args)
		},
	}
	f.traceArgs.flags(cmd, "last")
	a.mapFlag(cmd)
	f.witnessFlags.flags(cmd, a.Properties)
	cmd.Flags().StringSliceVar(&f.diagrams, "diagram", []string{"sequence"}, "the `DIAGRAMS` to draw")
	cmd.Flags().StringVar(&f.format, "format", "svg", "the `FORMAT` to write: "+joined(a.Pictures.Names()))
	f.out.flags(cmd, "output", "o", "", "the `FILE` to write; - is stdout")
	cmd.Flags().StringVar(&f.view.From, "from", "", "draw from this `PLACE` on")
	cmd.Flags().StringVar(&f.view.To, "to", "", "draw up to this `PLACE`")
	cmd.Flags().StringVar(&f.view.Around, "around", "", "draw the neighbours of the event at `PLACE`")
	cmd.Flags().StringVar(&f.view.Past, "past", "", "draw the causal past of the event at `PLACE`")
	cmd.Flags().StringSliceVar(&f.view.Processes, "process", nil, "draw only these `PROCESSES`")
	cmd.Flags().StringVar(&f.view.Group, "group", "", "group processes by this `ATTRIBUTE`, such as role")
	cmd.Flags().StringSliceVar(&f.view.Types, "type", nil, "draw only messages of these `TYPES`")
	cmd.Flags().StringArrayVar(&f.view.Hide, "hide", nil, "leave out events that match this `PATTERN`; repeatable")
	cmd.Flags().IntVar(&f.view.MaxEvents, "max-events", 0, "draw at most `N` events")
	cmd.Flags().StringVar(&f.fit, "fit", "", "draw for this `SIZE` in pixels, such as 1280x720")
	cmd.Flags().StringVar(&f.aspect, "aspect", "", "--fit in this `RATIO`, such as 16:9")
	cmd.Flags().StringVar(&f.view.Label, "label", "", "label messages with this `FIELD` of their payload")
	cmd.Flags().StringVar(
		&f.frames, "frames", "",
		"draw `FRAMES`: "+joined([]string{render.FramesSteps, render.FramesPhases})+" or a number",
	)
	cmd.Flags().StringVar(&f.legend, "legend", legendOn, "draw the legend: `on` or off")
	cmd.Flags().StringVar(&f.title, "title", "", "`TEXT` above the picture")
	cmd.Flags().StringVar(&f.axis, "axis", "", "the vertical `AXIS` of a sequence: "+joined(render.Axes()))
	cmd.Flags().StringArrayVar(&f.spans, "span", nil, "draw a bar while this `FLUENT` holds")
	cmd.Flags().StringVar(&f.cut, "cut", "", "draw a `CUT` after these events, such as 6,40, or "+render.NoCut)
	complete(cmd, "axis", render.Axes)
	complete(cmd, "frames", func() []string { return []string{render.FramesSteps, render.FramesPhases} })
	cmd.Flags().BoolVar(&f.tile, "tile", false, "all frames in one picture")
	cmd.Flags().StringVar(&f.theme, "theme", drawing.Themes[drawing.Light], "draw for a "+text.Or(drawing.Themes[:])+" `GROUND`")
	complete(cmd, "theme", func() []string { return drawing.Themes[:] })
	complete(cmd, "legend", func() []string { return []string{legendOn, legendOff} })
	complete(cmd, "diagram", a.Diagrams.Names)
	complete(cmd, "format", a.Pictures.Names)
	groupFlags(cmd,
		flagGroup{
			title: "What to draw",
			flags: []string{
				"diagram", "run", "from", "to", "around", "past", "process", "type", "hide", "max-events",
				"witness", "rule", "spec", "complete",
			},
		},
		flagGroup{
			title: "How to draw it",
			flags: []string{
				"fit", "aspect", "frames", "tile", "axis", "group", "label", "cut", "span", "theme", "legend", "title", "format", "output", "force",
			},
		},
	)
	return cmd
}

// render draws the selected runs. With --witness and without --run, it draws the first run in which the property is
// violated.
func (a *app) render(ctx context.Context, f *renderFlags, args []string) error {
	if err := f.decide(a.Pictures.Names()); err != nil {
		return err
	}
	s, err := f.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	runs := len(s.numbers) // to be drawn
	if f.anyRun {
		runs = min(runs, 1)
	}
	if f.out.path != "" && runs*len(f.diagrams) > 1 {
		return fmt.Errorf("-o names one file, but %d pictures are to be drawn", runs*len(f.diagrams))
	}
	for i, n := range s.numbers {
		rec, err := s.Recording(n)
		if err != nil {
			return err
		}
		about, shown := render.Options{}, ""
		declared, err := a.assume(a.watch(ctx, "drawing events", rec))
		if err != nil {
			return err
		}
		if f.wanted() {
			shown, err = f.show(ctx, a.Properties, &about, rec)
			switch {
			case errors.Is(err, errNothingViolated) && f.anyRun && i < len(s.numbers)-1:
				continue
			case errors.Is(err, errNothingViolated) && f.anyRun && i > 0:
				return fmt.Errorf("none of %d runs is violated, expected one to show the witness of", len(s.numbers))
			case err != nil:
				return err
			case f.anyRun && len(s.numbers) > 1:
				a.note("run %d of %d is shown, the first run with %s violated; --run shows others", n, len(s.numbers), shown)
			}
		}
		if f.format == "html" || slices.ContainsFunc(f.diagrams, a.showsWhole) {
			about.Verdicts, err = f.verdicts(a.Properties, declared)
			if err != nil {
				return err
			}
		}
		diagrams := f.diagrams
		if f.suited {
			name, err := render.WitnessDiagram(rec, about.Witness, f.format, a.Pictures)
			if err != nil {
				return err
			}
			diagrams = []string{name}
		}
		for _, name := range diagrams {
			file := f.out
			if file.path == "" {
				file.path = pictureName(pictureBase(tracePath(args), n, runs > 1), shown, name, f.format)
			}
			if err := file.check(tracePath(args)); err != nil {
				return err
			}
			if err := a.draw(ctx, f, about, declared, name, file, tracePath(args)); err != nil {
				return f.hint(err, a.Diagrams.Names())
			}
		}
		if f.anyRun {
			return nil
		}
	}
	return nil
}

// showsWhole reports whether the diagram of that name shows violations beside the run as a whole.
func (a *app) showsWhole(name string) bool {
	d, err := a.Diagrams.Lookup(name)
	return err == nil && d.Whole()
}

// hint suggests --diagram in an error if the user gave the name of a diagram as a type of messages.
func (f *renderFlags) hint(err error, diagrams []string) error {
	if slices.ContainsFunc(f.view.Types, func(typ string) bool { return slices.Contains(diagrams, typ) }) {
		return fmt.Errorf(`%w, did you mean "--diagram"?`, err)
	}
	return err
}

// decide sets the format of the picture: that of --format, or of the extension of the output file. It fails if the two
// contradict each other.
func (f *renderFlags) decide(known []string) (err error) {
	if f.out.path != "" {
		f.format, err = formatOf(f.out.path, f.format, f.given, known)
	}
	return err
}

// smaller is a hint for a picture that is too large.
const smaller = "; --from and --to draw a part of the run, --max-events the beginning"

// draw draws one diagram of a run to file. o has the witness and the verdicts to show; trace is an input that the
// picture must not overwrite.
func (a *app) draw(
	ctx context.Context,
	f *renderFlags,
	o render.Options,
	rec tracefmt.Recording,
	name string,
	file outFile,
	trace string,
) error {
	o.Diagram, o.Diagrams, o.Format, o.Formats = name, a.Diagrams, f.format, a.Pictures
	o.Select, o.Title, o.Axis, o.Spans, o.CutAt = f.view, f.title, f.axis, f.spans, f.cut
	o.Remark = func(sentence string, large bool) {
		if large {
			sentence += smaller
		}
		a.note("%s", sentence)
	}
	if err := f.form(&o); err != nil {
		return err
	}
	if o.Fit != (render.Size{}) || o.Frames != "" {
		return a.drawSeries(ctx, o, rec, file, trace)
	}
	return a.drawOne(file, func(w io.Writer) error { return interrupted(ctx, "drawing events", render.Render(ctx, w, rec, o)) }, trace)
}

// drawOne writes one picture, and prints the name of its file.
func (a *app) drawOne(file outFile, write func(io.Writer) error, trace string) error {
	if err := a.write(file, write, trace); err != nil {
		return hintSmaller(err)
	}
	return a.printNames(file.path)
}

// hintSmaller adds the hint smaller to the error for a picture that is too large.
func hintSmaller(err error) error {
	if errors.Is(err, render.ErrTooLarge) {
		return fmt.Errorf("%w%s", err, smaller)
	}
	return err
}

// printNames prints the names of written pictures.
func (a *app) printNames(paths ...string) error {
	for _, path := range paths {
		if path == tracefile.Stream || a.quiet {
			continue
		}
		if _, err := fmt.Fprintln(a.out, text.Printable(path)); err != nil {
			return err
		}
	}
	return nil
}

// drawSeries writes the pages or frames of a run, each to its own file: all of them or none.
func (a *app) drawSeries(ctx context.Context, o render.Options, rec tracefmt.Recording, file outFile, trace string) error {
	series, err := render.NewSeries(ctx, rec, o)
	if err != nil {
		return interrupted(ctx, "drawing events", err)
	}
	if series.Done != "" {
		a.note("to fit: %s", series.Done)
	}
	page := func(i int) func(io.Writer) error {
		return func(w io.Writer) error { return interrupted(ctx, "drawing events", series.Write(ctx, w, i)) }
	}
	switch {
	case file.path == tracefile.Stream && series.Len() > 1:
		return fmt.Errorf("-o - is one picture, but %d are to be drawn", series.Len())
	case file.path == tracefile.Stream:
		return a.drawOne(file, page(0), trace)
	}
	// An incomplete set of pages would look complete, so all pages get their names together.
	pages := fileSet{a: a, inputs: []string{trace}}
	defer pages.discard()
	ext := filepath.Ext(file.path)
	base := strings.TrimSuffix(file.path, ext)
	for i := range series.Len() {
		target := file
		switch {
		case o.Frames != "" && !o.Tile:
			target.path = fmt.Sprintf("%s-%03d%s", base, i+1, ext)
		case i > 0:
			target.path = fmt.Sprintf("%s-%d%s", base, i+1, ext)
		}
		if err := pages.add(target, page(i)); err != nil {
			return hintSmaller(err)
		}
	}
	if err := pages.commit(); err != nil {
		return err
	}
	return a.printNames(pages.paths...)
}

// form reads the flags for the form of the picture into o. It fails for an invalid theme, legend or size.
func (f *renderFlags) form(o *render.Options) error {
	o.Frames, o.NoLegend, o.Tile = f.frames, f.legend == legendOff, f.tile
	theme := slices.Index(drawing.Themes[:], f.theme)
	if theme < 0 {
		return fmt.Errorf("--theme %s: expected %s", text.Printable(f.theme), text.Or(drawing.Themes[:]))
	}
	o.Theme = drawing.Theme(theme)
	if f.legend != legendOn && f.legend != legendOff {
		return fmt.Errorf("--legend %s: expected %s or %s", text.Printable(f.legend), legendOn, legendOff)
	}
	switch w, h, ok := twoNumbers(f.fit, "x"); {
	case f.fit == "":
	case !ok || min(w, h) < 1:
		return fmt.Errorf("--fit %s: expected a size in pixels, as 1280x720", text.Printable(f.fit))
	default:
		o.Fit = render.Size{Width: w, Height: h}
	}
	switch w, h, ok := twoNumbers(f.aspect, ":"); {
	case f.aspect == "":
	case !ok || min(w, h) < 1 || max(w, h) > 1000:
		return fmt.Errorf("--aspect %s: expected width:height, as 16:9", text.Printable(f.aspect))
	default:
		o.Fit = render.Size{Width: shorterSide * w / min(w, h), Height: shorterSide * h / min(w, h)}
	}
	return nil
}

// shorterSide is the shorter side of a picture with --aspect, in pixels.
const shorterSide = 720

// twoNumbers returns the two numbers beside a separator.
func twoNumbers(s, separator string) (a, b int, ok bool) {
	before, after, ok := strings.Cut(s, separator)
	a, err := strconv.Atoi(before)
	b, err2 := strconv.Atoi(after)
	return a, b, ok && err == nil && err2 == nil
}

// The values of --legend.
const (
	legendOn  = "on"
	legendOff = "off"
)

// pictureBase returns the beginning of the name of a picture: the trace without its extension and, with several runs,
// the number of the run.
func pictureBase(trace string, run int, many bool) string {
	base := trace
	if ext := filepath.Ext(trace); slices.Contains(tracefile.Extensions(), strings.TrimPrefix(ext, ".")) {
		base = strings.TrimSuffix(trace, ext)
	}
	if trace == tracefile.Stream {
		base = "stdin"
	}
	if many {
		base = fmt.Sprintf("%s.%d", base, run)
	}
	return base
}

// pictureName returns the name of a picture: BASE.DIAGRAM.FORMAT, with the property before the diagram if its witness
// is shown.
func pictureName(base, violated, diagram, format string) string {
	if violated != "" {
		base += "." + plainName(violated)
	}
	return base + "." + diagram + "." + format
}

// plainName returns the name of a property without the characters that file names should not have: "-e:1" becomes e-1.
func plainName(property string) string {
	words := strings.FieldsFunc(property, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
	})
	return strings.Trim(strings.Join(words, "-"), "-")
}
