package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"etrace/render"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

type renderFlags struct {
	traceArgs
	witnessFlags
	diagrams []string
	format   string
	given    bool // whether --format was
	anyRun   bool // a witness of the first run that has one is wanted
	out      outFile
	from, to int64
	most     int
	title    string
	axis     string
	spans    []string
	cut      string
}

func (a *app) renderCommand() *cobra.Command {
	f := &renderFlags{}
	cmd := &cobra.Command{
		Use:   "render [TRACE]",
		Short: "Draw runs",
		Long: `Draw a run as a diagram: ` + text.Or(a.Diagrams.Names()) + `. The picture is written to
TRACE without .db + .DIAGRAM.FORMAT; with several runs, the run's number is
before the diagram, and of a witness the name of what is violated. Mermaid is text for Markdown: "etrace list pictures" says
what each format is for.

Time runs downward in a sequence diagram. --axis says what a row is: an instant
with its time, as in simulated runs; a causal level, without times; or the axis is
linear in time, with long waits folded, as for recorded clocks that contradict no cause.

A graph diagram counts the messages at both ends of each edge, those to oneself at the process, and shows the processes as they are when the picture
ends, at --to: the variables parent, father, holder and next are arrows to the process that they name, and
a token is at the process that has it, or on its way. A member of a quorum points to the process for which it is locked, and
those in its queue point to it. Other variables are written at the nodes, in mutual exclusion flags and lists of processes only;
a tip has all.

A bar along the line of a process shows what goes on there for a while: in a run of mutual exclusion, that
it waits for the critical section or is in it; where the end of a computation is to be detected, that it is
active. Runs with several locks have none. --span names others, as fluents of the language of rules ("etrace explain fluent").

A cut is a line across the lines of the processes: what is above it is in the cut. In a run of a snapshot it is where the
processes record their states; --cut draws another one. A message that is sent in the cut and not received in it is in its channel: it has a pale
band. One that is received in the cut and sent after it makes the cut inconsistent: its band has edges.

With --witness a picture shows why a property, or with -e or --spec a rule of
your own, is violated, in the first run where it is unless --run names one: the events that it takes, with all others faint, those
that show the violation numbered, and the explanation below the title.

A PNG has two pixels for each point, large ones have one, and at most 64 million in
all. Its font has Latin, Greek and Cyrillic letters; for others draw an SVG and convert it:
"rsvg-convert -o FILE.png FILE.svg". That takes at most 32,767 pixels either way; a larger
picture is noted.`,
		Example: `  etrace render --format svg
  etrace render runs.db --run 2 --diagram sequence,ring
  etrace render --diagram graph --to 40 -o state.svg
  etrace render --from 20 --to 40 -o part.svg
  etrace render --format mermaid -o -
  etrace render runs.db --run 1 --witness single-leader
  etrace render --span 'fluent leading(p) while leads(p)' -o leading.svg
  etrace render --cut 6,9 -o cut.svg`,
		Args: a.oneTrace,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && f.to < 1 {
				return fmt.Errorf("--to %d: expected the seq of an event, from 1 on", f.to)
			}
			f.given = cmd.Flags().Changed("format")
			if f.anyRun = f.wanted() && !cmd.Flags().Changed("run"); f.anyRun {
				f.runs = "all"
			}
			return a.render(cmd.Context(), f, args)
		},
	}
	f.traceArgs.flags(cmd, "last")
	a.mapFlag(cmd)
	f.witnessFlags.flags(cmd, a.Properties)
	cmd.Flags().StringSliceVar(&f.diagrams, "diagram", []string{"sequence"}, "the `DIAGRAMS` to draw: "+joined(a.Diagrams.Names()))
	cmd.Flags().StringVar(&f.format, "format", "svg", "the `FORMAT` to write: "+joined(a.Pictures.Names()))
	f.out.flags(cmd, "output", "o", "", "the `FILE` to write, whose extension says the format; - for stdout")
	cmd.Flags().Int64Var(&f.from, "from", 0, "draw from the event with this `SEQ`")
	cmd.Flags().Int64Var(&f.to, "to", 0, "draw up to the event with this `SEQ`")
	cmd.Flags().IntVar(&f.most, "max-events", 0, "draw at most `N` events; the picture says how many it leaves out")
	cmd.Flags().StringVar(&f.title, "title", "", "`TEXT` above the picture")
	cmd.Flags().StringVar(&f.axis, "axis", "", "what height means in sequence diagrams, an `AXIS`: "+joined(render.Axes())+" (default: what suits the run)")
	cmd.Flags().StringArrayVar(&f.spans, "span", nil, "draw a bar along a lifeline while this `FLUENT` of the language of rules holds (default: those of the problem); repeatable")
	cmd.Flags().StringVar(&f.cut, "cut", "", "draw the `CUT` up to these seqs, one of a process, as 6,40, with nothing of the others, or up to the first of such events of each, as 'note(type = \"record\")'; "+render.NoCut+" for no cut (default: that of the problem)")
	complete(cmd, "axis", render.Axes)
	complete(cmd, "diagram", a.Diagrams.Names)
	complete(cmd, "format", a.Pictures.Names)
	return cmd
}

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
				a.note("run %d of %d is shown, the first of which %s is violated; --run shows others", n, len(s.numbers), shown)
			}
		}
		if f.format == "html" {
			if about.Verdicts, err = f.verdicts(a.Properties, declared); err != nil {
				return err
			}
		}
		for _, name := range f.diagrams {
			file := f.out
			if file.path == "" {
				file.path = pictureName(tracePath(args), shown, name, f.format, n, runs > 1)
			}
			if err := file.check(tracePath(args)); err != nil {
				return err
			}
			if err := a.draw(ctx, f, about, declared, name, file, tracePath(args)); err != nil {
				return err
			}
		}
		if f.anyRun {
			return nil
		}
	}
	return nil
}

// decide finds the format by the name of the file.
func (f *renderFlags) decide(known []string) (err error) {
	hint := convertTo(f.format)
	if f.out.path != "" {
		ext, _ := atomicfile.Extension(f.out.path)
		hint = cmp.Or(hint, convertTo(ext))
		f.format, err = formatOf(f.out.path, f.format, f.given, known)
	}
	if err == nil && hint != "" && !slices.Contains(known, f.format) {
		err = fmt.Errorf("--format %s: expected %s", f.format, text.Or(known))
	}
	if err != nil && hint != "" {
		err = fmt.Errorf("%w%s", err, hint)
	}
	return err
}

// smaller is how to get a smaller picture.
const smaller = "; --from and --to draw a part of the run, --max-events the beginning"

// draw draws a run of the trace; o says what it is about.
func (a *app) draw(ctx context.Context, f *renderFlags, o render.Options, rec tracefmt.Recording, name string, file outFile, trace string) error {
	o.Diagram, o.Diagrams, o.Format, o.Formats = name, a.Diagrams, f.format, a.Pictures
	o.From, o.To, o.MaxEvents, o.Title, o.Axis, o.Spans, o.CutAt = tracefmt.Seq(f.from), tracefmt.Seq(f.to), f.most, f.title, f.axis, f.spans, f.cut
	o.Remark = func(sentence string, large bool) {
		if large {
			sentence += smaller
		}
		a.note("%s", sentence)
	}
	write := func(w io.Writer) error { return interrupted(ctx, "drawing events", render.Render(ctx, w, rec, o)) }
	err := a.write(file, write, trace)
	if errors.Is(err, render.ErrTooLarge) {
		err = fmt.Errorf("%w%s", err, smaller)
	}
	if err == nil && file.path != tracefile.Stream && !a.quiet {
		_, err = fmt.Fprintln(a.out, text.Printable(file.path))
	}
	return err
}

// pictureName is the name of a picture of a run, or of the witness of what is shown to
// be violated.
func pictureName(trace, shown, diagram, format string, run int, many bool) string {
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
	if shown != "" {
		base += "." + plainName(shown)
	}
	return base + "." + diagram + "." + format
}

// plainName is the name of a property as part of the name of a file: "-e:1" is e-1.
func plainName(property string) string {
	words := strings.FieldsFunc(property, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
	})
	return strings.Trim(strings.Join(words, "-"), "-")
}

// convertTo says how to get what no format writes, "" for any other name.
func convertTo(format string) string {
	if format == "pdf" {
		return "; for PDF draw an SVG and convert it, as with rsvg-convert -f pdf -o FILE.pdf FILE.svg"
	}
	return ""
}
