package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/sweep"
	"etrace/render"
	"etrace/render/sweeps"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// findings are the flags of the results beside the counts of a sweep: layout of the table, ranks, formulas, plots and page.
type findings struct {
	layout   sweep.Layout
	rank     bool
	fit      bool
	formulas []string
	plot     outFile
	plane    outFile
	report   outFile
	force    bool
}

// findingsFlags are the names of the flags of [findings].
var findingsFlags = []string{"columns", "pivot", "rank", "fit-formula", "formula", "plot", "plane", "report", "title", "label"}

func (f *findings) flags(cmd *cobra.Command) {
	cmd.Flags().Var((*nameList)(&f.layout.Columns), "columns", "the `NAMES` of the columns, such as nodes, messages, \"max messages\"")
	completeList(cmd, "columns", sweep.ColumnNames)
	cmd.Flags().StringVar(&f.layout.Pivot, "pivot", "", "a column for each value of an `AXIS`, such as algorithm")
	complete(cmd, "pivot", sweep.AxisNames)
	cmd.Flags().BoolVar(&f.rank, "rank", false, "compare algorithms' means, and where they cross")
	cmd.Flags().BoolVar(&f.fit, "fit-formula", false, "fit a closed form in n to the means and extremes")
	cmd.Flags().StringArrayVar(&f.formulas, "formula", nil, "compare with `F`, such as n*H(n) or \"max messages = n^2-n-1\"")
	outVar(cmd, &f.plot.path, "plot", "", "plot the first measure over n to `FILE`.svg, .pdf, .png")
	outVar(cmd, &f.plane.path, "plane", "", "plot the first measure against the second to a `FILE`")
	cmd.Flags().StringVar(&f.layout.Title, "title", "", "`TEXT` above plots, and the caption in LaTeX")
	cmd.Flags().StringVar(&f.layout.Label, "label", "", "the `LABEL` of the table in LaTeX")
	outVar(cmd, &f.report.path, "report", "", "write table, formulas and plots to a `FILE`.html")
}

// given reports whether any of the flags is given.
func (f *findings) given() bool {
	return f.layout.Columns != nil || f.layout.Pivot+f.layout.Title+f.layout.Label != "" || f.rank || f.fit ||
		f.formulas != nil || f.plot.path+f.plane.path+f.report.path != ""
}

// check returns an error for invalid formulas or output files. An output must not be one of the inputs. It is called before
// the first run, because the runs may take hours.
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
	// A plane has an axis for each of two measures.
	if f.plane.path != "" && p.Measures() < 2 {
		return fmt.Errorf("--plane: there is one measure, expected two, such as --measure messages,depth")
	}
	return f.checkNames(inputs)
}

// checkNames returns an error if an output is also an input or another output, or is stdout, where the table is printed.
func (f *findings) checkNames(inputs []string) error {
	taken := map[string]bool{}
	for _, name := range inputs {
		taken[name] = name != ""
	}
	for _, output := range []struct {
		flag string
		file outFile
	}{{"plot", f.plot}, {"plane", f.plane}, {"report", f.report}} {
		switch path := output.file.path; {
		case path == tracefile.Stream:
			return fmt.Errorf("--%s -: the table is on stdout, expected the name of a file", output.flag)
		case taken[path]:
			return fmt.Errorf("--%s: %s is written or read here already, expected another name", output.flag, path)
		default:
			taken[path] = path != ""
		}
		if err := output.file.check(inputs...); err != nil {
			return err
		}
	}
	return nil
}

// pictureOf returns the picture format for the extension of the file.
func (a *app) pictureOf(file outFile) (string, error) {
	return formatOf(file.path, "", false, render.Drawing(a.Pictures))
}

// conclude adds ranks and formulas to the table, and writes the plots and the page.
func (f *findings) conclude(ctx context.Context, a *app, p *sweep.Plan, t *sweep.Table) error {
	if err := f.find(t); err != nil {
		return err
	}
	return f.write(ctx, a, p, t)
}

// find ranks the values, fits formulas, and compares the given formulas, as far as the flags request it.
func (f *findings) find(t *sweep.Table) error {
	t.Layout = f.layout
	if f.rank || f.report.path != "" {
		t.Rank()
	}
	if f.fit || f.report.path != "" {
		t.FindClosedForms()
	}
	for _, formula := range f.formulas {
		if err := t.Compare(formula); err != nil {
			return err
		}
	}
	return nil
}

// write writes the plots and the page that the flags request.
func (f *findings) write(ctx context.Context, a *app, p *sweep.Plan, t *sweep.Table) error {
	if t.Interrupted {
		f.keepWritten(a)
	}
	if f.plot.path != "" {
		d, err := sweeps.Plot(t, t.Measures[0])
		if err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
		if err := a.writePicture(f.plot, func(w io.Writer, format string) error {
			return render.Draw(ctx, w, d, format, a.Pictures)
		}); err != nil {
			return err
		}
	}
	if f.plane.path != "" {
		d, err := sweeps.Plane(t, t.Measures[1], t.Measures[0])
		if err != nil {
			return fmt.Errorf("--plane: %w", err)
		}
		if err := a.writePicture(f.plane, func(w io.Writer, format string) error {
			return render.Draw(ctx, w, d, format, a.Pictures)
		}); err != nil {
			return err
		}
	}
	if f.report.path == "" {
		return nil
	}
	page := sweeps.Page{Table: t, Command: "etrace sweep " + p.Grid.Command()}
	return a.write(f.report, func(w io.Writer) error { return page.Write(ctx, w) })
}

// keepWritten keeps the files that are there from being replaced by those of an interrupted sweep.
func (f *findings) keepWritten(a *app) {
	for _, file := range []*outFile{&f.plot, &f.plane, &f.report} {
		if _, err := os.Lstat(file.path); err == nil {
			a.note("interrupted: %s stays as it was", text.Printable(file.path))
			file.path = ""
		}
	}
}

// writePicture draws a picture in the format for the extension of its file.
func (a *app) writePicture(file outFile, draw func(w io.Writer, format string) error) error {
	format, err := a.pictureOf(file)
	if err != nil {
		return err
	}
	return a.write(file, func(w io.Writer) error { return draw(w, format) })
}
