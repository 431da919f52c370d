package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"etrace/analyze/shard"
	"etrace/tracefmt/interop"
)

// An import can be divided by files: tasks write the entries of some files each (--files), tasks pair messages by their names
// (--match), one orders the events (--order), and tasks write the run (--piece).

// writeShare reads a share of the files, and writes their entries.
func (a *app) writeShare(ctx context.Context, f *importFlags, files []string) error {
	share := &interop.Share{}
	var err error
	share.Index, share.Count, err = shard.ParseShare(f.files)
	if err != nil {
		return fmt.Errorf("--files %w", err)
	}
	format, inputs, closeAll, err := a.sharedInputs(ctx, f, share, files)
	defer closeAll()
	if err != nil {
		return err
	}
	out := outFile{path: f.out}
	if err := out.check(files...); err != nil {
		return err
	}
	return a.write(out, func(w io.Writer) error {
		share.Out = w
		_, err := interop.Import(ctx, format, interop.Join(inputs...), nil, interop.Settings{
			Options: f.options(), Tool: toolName, Share: share,
		})
		return err
	}, files...)
}

// sharedInputs opens the logs, or the parts of their reading. The caller must call closeAll, also after an error.
func (a *app) sharedInputs(ctx context.Context, f *importFlags, share *interop.Share, files []string) (
	format interop.Format, inputs []*interop.Input, closeAll func(), err error,
) {
	var open []io.Closer
	closeAll = func() {
		for _, c := range open {
			c.Close()
		}
	}
	if f.join {
		if err := a.joinParts(ctx, f, files); err != nil {
			return format, nil, closeAll, err
		}
		open = append(open, f.joined)
		return f.joined.Format, f.joined.Inputs, closeAll, nil
	}
	share.Sum = sumOfFile
	reading := a.inputProgress(files)
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s: no regular file, expected one", file)
		}
		if err != nil {
			return format, nil, closeAll, err
		}
		input, err := a.openForeign(ctx, file, reading)
		if err != nil {
			return format, nil, closeAll, err
		}
		open = append(open, input)
		input.SetSize(info.Size())
		inputs = append(inputs, input.Input)
	}
	format, err = interop.ToRead(a.Formats, f.from, f.options(), inputs[0].Head())
	if err == nil && format.Slicer == nil {
		err = fmt.Errorf("%s: the format %s is not read in shares", files[0], format.Name)
	}
	return format, inputs, closeAll, err
}

// sumOfFile returns a checksum of the bytes of a file.
func sumOfFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// openShares opens shares, and orders. The caller must call closeAll, also after an error.
func openShares(names []string) (files []interop.ShareFile, closeAll func(), err error) {
	var open []*os.File
	closeAll = func() {
		for _, f := range open {
			f.Close()
		}
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, closeAll, err
		}
		open = append(open, file)
		info, err := file.Stat()
		if err != nil {
			return nil, closeAll, err
		}
		files = append(files, interop.ShareFile{Name: name, Size: info.Size(), ReaderAt: file})
	}
	return files, closeAll, nil
}

// matchShares pairs the messages of some groups of all shares.
func (a *app) matchShares(f *importFlags, names []string) error {
	index, count, err := shard.ParseShare(f.match)
	if err != nil {
		return fmt.Errorf("--match %w", err)
	}
	files, closeAll, err := openShares(names)
	defer closeAll()
	if err != nil {
		return err
	}
	shares, err := interop.OpenShares(toolName, files)
	if err != nil {
		return err
	}
	return a.write(outFile{path: f.out}, func(w io.Writer) error { return shares.Match(toolName, index, count, w) }, names...)
}

// orderMemory is how many bytes of entries an order keeps in memory. It is the serial part of a large import, so it gets
// more memory than other tasks.
const orderMemory = 512 << 20

// orderShares pairs the messages of all shares and orders their events.
func (a *app) orderShares(ctx context.Context, f *importFlags, names []string) error {
	files, closeAll, err := openShares(names)
	defer closeAll()
	if err != nil {
		return err
	}
	slicer, err := a.slicer()
	if err != nil {
		return err
	}
	// Matches and shares may be given in any order, as a pattern of a shell lists them.
	var matches []interop.ShareFile
	files = slices.DeleteFunc(files, func(file interop.ShareFile) bool {
		if interop.IsMatch(file) {
			matches = append(matches, file)
			return true
		}
		return false
	})
	if len(files) == 0 {
		return errors.New("--order: expected shares beside the matches")
	}
	shares, err := interop.OpenShares(toolName, files)
	if err == nil {
		err = shares.AddMatches(toolName, matches)
	}
	if err != nil {
		return err
	}
	out := outFile{path: f.out}
	if err := out.check(names...); err != nil {
		return err
	}
	summary := &interop.Summary{Output: f.out}
	var sink *interop.OrderSink
	err = a.write(out, func(w io.Writer) error {
		sink = shares.NewOrderSink(toolName, w)
		if shares.AtOnce() != "" {
			return sink.WriteAtOnce()
		}
		joined, err := slicer.JoinShares(shares)
		if err != nil {
			return err
		}
		report, err := interop.Import(ctx, joined.Format, interop.Join(joined.Inputs...), sink, interop.Settings{
			Strict: f.strict, Tool: toolName, Completeness: f.complete.completeness, Memory: orderMemory,
		})
		summary.Files = []interop.FileReport{{File: filesText(joined.Files), Report: report}}
		return err
	}, names...)
	switch {
	case err != nil:
		return err
	case sink.AtOnce() != "":
		a.note("%s: the files must be imported at once", sink.AtOnce())
		return nil
	}
	return a.printImported(f, summary)
}

// writePiece writes a piece of a run by its order, which is the first file, and the shares.
func (a *app) writePiece(f *importFlags, names []string) error {
	index, count, err := shard.ParseShare(f.piece)
	switch {
	case err != nil:
		return fmt.Errorf("--piece %w", err)
	case len(names) < 2:
		return errors.New("--piece: expected an order and its shares")
	}
	files, closeAll, err := openShares(names)
	defer closeAll()
	if err != nil {
		return err
	}
	order, err := interop.OpenOrder(toolName, files[0])
	if err != nil {
		return err
	}
	shares, err := interop.OpenShares(toolName, files[1:])
	if err != nil {
		return err
	}
	return a.write(outFile{path: f.out}, func(w io.Writer) error { return order.WritePiece(shares, index, count, w) }, names...)
}
