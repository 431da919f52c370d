package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/sweep"
	"etrace/render"
	"etrace/render/sweeps"
	"etrace/tracefmt/tracefile"
)

// findings are what the flags ask for of the table of a sweep, and beside it.
type findings struct {
	layout   sweep.Layout
	rank     bool
	law      bool
	formulas []string
	plot     outFile
	plane    outFile
	report   outFile
	force    bool
}

// findingsHelp is about these flags in the help of sweep.
const findingsHelp = `

The heading says under which conditions a table was made: axes with one value, and whatever
else differs from the defaults. The column published has the run that comes nearest to
breaking each bound; below the table the legend says what the bounds count, or why none applies.
--columns chooses columns of the forms text, csv, html, latex and markdown; --pivot algorithm
makes a column of each algorithm.

With --rank the means of each algorithm are compared with those of the others at each n: exact
ones as they are, those of samples by their confidence intervals, which decide only where they
do not overlap. That holds though all cells have the same seeds, as they should for a
comparison.

With --law laws over n are looked for in the means and, where the runs of a cell differ, in
the extremes: exact ones first, sums of powers of n, floor(log2(n)), n % 2, H(n) and the like
that hold at every size, of which there must be at least three more than terms, all lower
powers and the constant counted, and two more than twice the terms where one is no power; such
sums over n, n - 1 or n + 1, too, of powers alone, for n - 1 and n + 1 from one point more; else
shapes such as n*log2(n) are fitted, to six sizes or more with n <= 64, and predict the larger
ones. A shape is refused if it is more than 5 % off at a measured size, or farther off than
chance explains. It is refused, too, if it is negative, or falls where the measured values rise,
at a size up to twice the largest. Where all shapes are refused there is no law. A fit takes the samples for
independent, though cells have the same seeds: what it says of chance is near only, and other
seeds (--seed) are a test of it.
With --split each process that each stands for has a row of its own, and its id is a second
variable. A --formula is compared size by size; exit status 1 if it does not hold, of samples
within three standard errors, 3 if that is not decided. A max or min of a sample is what was
seen, and has no formula. Plots have the published bounds that count the messages that
are plotted, and name those that count others; --report has a table of each. The form latex has
a second table of laws and formulas; with csv these, and rankings, are on stderr.`

// findingsExamples are those of these flags.
const findingsExamples = `
  etrace sweep bully,ring --nodes 2..8 --start each --measure messages --pivot algorithm --rank
  etrace sweep bully,ring --nodes 4,8 --start all --columns algorithm,nodes,messages --format latex
  etrace sweep bully --nodes 3..16 --start each --split --measure messages --law
  etrace sweep chang-roberts --nodes 2..7 --order all --start all --measure type.election --formula 'n*H(n)' --formula 'max type.election = n*(n+1)/2'
  etrace sweep chang-roberts --nodes 8,16,32 --order random --start all --law --plot mean.svg --report report.html`

// findingsFlags are the names of these flags.
var findingsFlags = []string{"columns", "pivot", "rank", "law", "formula", "plot", "plane", "report"}

func (f *findings) flags(cmd *cobra.Command) {
	cmd.Flags().Var((*nameList)(&f.layout.Columns), "columns", "the table has these `NAMES` only: axes, runs, a measure for its mean, \"max messages\", \"min messages\", published, properties; of CSV those of its heading")
	completeList(cmd, "columns", sweep.ColumnNames)
	cmd.Flags().StringVar(&f.layout.Pivot, "pivot", "", "make a column of each value of an `AXIS`, such as algorithm, with the means of all measures or what --columns says")
	complete(cmd, "pivot", sweep.AxisNames)
	cmd.Flags().BoolVar(&f.rank, "rank", false, "say which algorithm, or value of the first other axis than nodes, is below which, at which n, and where they cross")
	cmd.Flags().BoolVar(&f.law, "law", false, "look for laws over the number of processes")
	cmd.Flags().StringArrayVar(&f.formulas, "formula", nil, "compare with `F`, such as n*H(n) for the mean of the first measure, or \"max messages = n^2-n-1\"")
	outVar(cmd, &f.plot.path, "plot", "", "", "plot the first measure over n to a `FILE`.svg, .png or .dot")
	outVar(cmd, &f.plane.path, "plane", "", "", "plot the first measure against the second to a `FILE`.svg, .png or .dot")
	outVar(cmd, &f.report.path, "report", "", "", "look for laws, and write them with table and plots to a page `FILE`.html, which needs no network")
}

// given reports whether any of the flags is.
func (f *findings) given() bool {
	return f.layout.Columns != nil || f.layout.Pivot != "" || f.rank || f.law || f.formulas != nil || f.plot.path+f.plane.path+f.report.path != ""
}

// check says early what is wrong with formulas and files, which are none of the inputs.
func (f *findings) check(a *app, p *sweep.Plan, format *sweep.Format, inputs ...string) error {
	if err := p.CheckLayout(format, f.layout); err != nil {
		return err
	}
	if f.rank {
		if err := p.CheckRank(); err != nil {
			return fmt.Errorf("--rank: %w", err)
		}
	}
	for _, formula := range f.formulas {
		if err := p.CheckFormula(formula); err != nil {
			return fmt.Errorf("--formula: %w", err)
		}
	}
	f.plot.force, f.plane.force, f.report.force = f.force, f.force, f.force
	for _, file := range []outFile{f.plot, f.plane} {
		if file.path == "" {
			continue
		}
		if _, err := a.pictureOf(file); err != nil {
			return err
		}
	}
	if f.report.path != "" {
		if _, err := formatOf(f.report.path, "html", false, []string{"html"}); err != nil {
			return err
		}
	}
	if f.plane.path != "" && p.Measures() < 2 {
		return fmt.Errorf("--plane: there is one measure, expected two, such as --measure messages,depth")
	}
	return f.checkNames(inputs)
}

// checkNames refuses a file that is written twice, and stdout, which the table has.
func (f *findings) checkNames(inputs []string) error {
	taken := map[string]bool{}
	for _, name := range inputs {
		taken[name] = name != ""
	}
	for _, one := range []struct {
		flag string
		file outFile
	}{{"plot", f.plot}, {"plane", f.plane}, {"report", f.report}} {
		switch path := one.file.path; {
		case path == tracefile.Stream:
			return fmt.Errorf("--%s -: the table is on stdout, expected the name of a file", one.flag)
		case taken[path]:
			return fmt.Errorf("--%s: %s is written or read here already, expected another name", one.flag, path)
		default:
			taken[path] = path != ""
		}
		if err := one.file.check(inputs...); err != nil {
			return err
		}
	}
	return nil
}

// pictureOf is the name of the picture format that the name of a file says.
func (a *app) pictureOf(file outFile) (string, error) {
	return formatOf(file.path, "svg", false, render.Drawing(a.Pictures))
}

// conclude makes of a table what the flags ask for.
func (f *findings) conclude(ctx context.Context, a *app, p *sweep.Plan, t *sweep.Table) error {
	if err := f.find(t); err != nil {
		return err
	}
	return f.write(ctx, a, p, t)
}

// find ranks, looks for laws, and compares the formulas.
func (f *findings) find(t *sweep.Table) error {
	t.Layout = f.layout
	if f.rank || f.report.path != "" {
		t.Rank()
	}
	if f.law || f.report.path != "" {
		t.FindLaws()
	}
	for _, formula := range f.formulas {
		if err := t.Compare(formula); err != nil {
			return err
		}
	}
	return nil
}

// write writes plots and the page.
func (f *findings) write(ctx context.Context, a *app, p *sweep.Plan, t *sweep.Table) error {
	if f.plot.path != "" {
		d, err := sweeps.Plot(t, t.Measures[0])
		if err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
		if err := a.writePicture(f.plot, func(w io.Writer, format string) error { return render.Draw(ctx, w, d, format, a.Pictures) }); err != nil {
			return err
		}
	}
	if f.plane.path != "" {
		d, err := sweeps.Plane(t, t.Measures[1], t.Measures[0])
		if err != nil {
			return fmt.Errorf("--plane: %w", err)
		}
		if err := a.writePicture(f.plane, func(w io.Writer, format string) error { return render.Draw(ctx, w, d, format, a.Pictures) }); err != nil {
			return err
		}
	}
	if f.report.path == "" {
		return nil
	}
	page := sweeps.Page{Table: t, Command: "etrace sweep " + p.Grid.Command()}
	return a.write(f.report, func(w io.Writer) error { return page.Write(ctx, w) })
}

func (a *app) writePicture(file outFile, draw func(w io.Writer, format string) error) error {
	format, err := a.pictureOf(file)
	if err != nil {
		return err
	}
	return a.write(file, func(w io.Writer) error { return draw(w, format) })
}
