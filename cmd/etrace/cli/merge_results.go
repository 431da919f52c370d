package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"etrace/analyze/experiment/sweep"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// resultFiles returns the files that args name, and the files with results of sweeps in the folders that args name.
func resultFiles(args []string) (files []string) {
	for _, arg := range args {
		entries, err := os.ReadDir(arg)
		if err != nil {
			files = append(files, arg)
			continue
		}
		for _, e := range entries {
			if name := filepath.Join(arg, e.Name()); tracedb.IsResults(name) {
				files = append(files, name)
			}
		}
	}
	return files
}

// mergeResults joins the results of a sweep in several files. It prints the table or, with --partial -o, writes the
// results to a new file.
func (a *app) mergeResults(ctx context.Context, f *mergeFlags, files []string) error {
	format, err := sweep.Formats().Lookup(f.name())
	if err != nil {
		return err
	}
	if f.plan != "" || f.trace != "" || f.all || f.partial && f.out.force {
		return fmt.Errorf("%s: results of a sweep; expected no --plan, --trace, --all or --partial --force with them", files[0])
	}
	f.findings.force = f.out.force
	var parts []sweep.Store
	for _, file := range files {
		r, err := tracedb.ReadResults(file)
		if err != nil {
			return err
		}
		defer r.Close()
		parts = append(parts, r)
	}
	p, err := a.resultsPlan(parts)
	if err != nil {
		return err
	}
	if err := f.findings.check(a, p, format, files...); err != nil {
		return err
	}
	return a.mergeParts(ctx, f, p, parts, format)
}

// resultsPlan returns the common sweep of all parts. Parts may differ in their number of seeds; the greatest number
// counts. It fails if a part belongs to another sweep.
func (a *app) resultsPlan(parts []sweep.Store) (p *sweep.Plan, err error) {
	known := sweep.Known{Tool: toolName, Algorithms: a.Algorithms, Properties: a.Properties.Named}
	for _, part := range parts {
		next, err := sweep.ReadAbout(part.(*tracedb.Results).About(), known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Path(), err)
		}
		if p == nil || next.Differs(p.About(toolName), toolName) == nil {
			p = next
		}
	}
	for _, part := range parts {
		if err := p.Differs(part.(*tracedb.Results).About(), toolName); err != nil {
			return nil, fmt.Errorf("%s: %w", part.Path(), err)
		}
	}
	return p, nil
}

// mergeParts joins the results of the parts, and prints the table or writes them to a new file. It fails if results are
// missing, unless --partial was given.
func (a *app) mergeParts(ctx context.Context, f *mergeFlags, p *sweep.Plan, parts []sweep.Store, format *sweep.Format) error {
	t, err := p.Merge(ctx, parts, nil)
	if err != nil {
		return interrupted(ctx, "merging results", err)
	}
	switch {
	case !t.Whole() && !f.partial:
		return errors.New(t.Missing())
	case f.partial && f.out.path != tracefile.Stream:
		err = a.joinResults(ctx, p, parts, f.out.path)
	default:
		if err := f.findings.conclude(ctx, a, p, t); err != nil {
			return err
		}
		err = a.printTable(t, format)
	}
	return cmp.Or(err, (&sweepFlags{allowOpen: f.allowOpen}).status(t))
}

// joinResults writes the results of the parts to a new file. It removes the file if that fails.
func (a *app) joinResults(ctx context.Context, p *sweep.Plan, parts []sweep.Store, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: is there already, expected the name of a new file", path)
	}
	defer a.keepPartialResult()()
	r, err := openResults(p, path)
	if err != nil {
		return err
	}
	_, err = p.Merge(ctx, parts, r)
	err = cmp.Or(err, r.Close())
	if err != nil {
		_ = os.Remove(path)
	}
	return interrupted(ctx, "merging results", err)
}
