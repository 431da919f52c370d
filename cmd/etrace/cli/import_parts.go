package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"etrace/analyze/shard"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/tracefile"
)

// The logs of an import can be read by several tasks: each writes what the lines of a slice mean, and one imports the parts.

// slicer returns the way to read logs in parts.
func (a *app) slicer() (*interop.Slicer, error) {
	format, ok := a.Formats.Find(func(f interop.Format) bool { return f.Slicer != nil })
	if !ok {
		return nil, errors.New("no format can be read in parts")
	}
	return format.Slicer, nil
}

// writePart reads a slice of the logs and writes the part. From stdin it reads the lines of the slice alone.
func (a *app) writePart(ctx context.Context, f *importFlags, files []string) error {
	slicer, err := a.slicer()
	if err != nil {
		return err
	}
	s := &interop.Slice{Map: f.options()["map"], Tool: toolName}
	s.Index, s.Count, err = shard.ParseShare(f.part)
	if err != nil {
		return fmt.Errorf("--part %w", err)
	}
	for _, file := range files {
		if file == tracefile.Stream {
			if len(files) > 1 {
				return errors.New("--part: stdin has the lines of one log, expected no other file beside -")
			}
			s.Piece = &interruptibleReader{ctx: ctx, r: a.stdin}
			s.Files = append(s.Files, interop.SlicedFile{Name: file})
			continue
		}
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s: no regular file, expected one, or - for the lines of the slice", file)
		}
		// The parts of another file would be refused only when all of them are joined.
		if sort, known := sortOf(file); known && sort.description != compressed {
			return fmt.Errorf("%s: expected a log", file)
		}
		s.Files = append(s.Files, interop.SlicedFile{
			Name: file, Size: info.Size(), Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
		})
	}
	// An existing file is refused before the work, not after it.
	out := outFile{path: f.out}
	if err := out.check(files...); err != nil {
		return err
	}
	return a.write(out, func(w io.Writer) error {
		if !strings.HasSuffix(f.out, ".gz") {
			return slicer.Write(ctx, s, w)
		}
		packed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err == nil {
			err = slicer.Write(ctx, s, packed)
		}
		if err != nil {
			return err
		}
		return packed.Close()
	}, files...)
}

// joinParts opens the parts of an import.
func (a *app) joinParts(ctx context.Context, f *importFlags, files []string) error {
	slicer, err := a.slicer()
	if err != nil {
		return err
	}
	var parts []interop.PartFile
	for _, file := range files {
		parts = append(parts, interop.PartFile{Name: file, Open: func() (io.ReadCloser, error) { return a.input(ctx, file) }})
	}
	f.joined, err = slicer.Join(toolName, parts)
	if err != nil {
		return err
	}
	for i, name := range f.joined.Copies {
		a.noteCopy(name, f.joined.Originals[i])
	}
	for _, input := range f.joined.Inputs {
		if err := refuseTrace(input.Name(), input.Head()); err != nil {
			f.joined.Close()
			return err
		}
	}
	return nil
}
