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

// resultFiles returns the files that the arguments name, and the results in the folders that they name.
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

// mergeResults writes the table of the results of a sweep that are in several files, or
// with --partial another such file.
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

// resultsPlan is the plan whose results the parts are: of several that differ in the seeds, that of
// most.
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

// mergeParts merges results of a plan.
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

// joinResults writes the results of several files to a new one, which is removed
// if that fails.
func (a *app) joinResults(ctx context.Context, p *sweep.Plan, parts []sweep.Store, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: is there already, expected the name of a new file", path)
	}
	defer a.keep()()
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
