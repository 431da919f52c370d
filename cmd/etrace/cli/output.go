package cli

import (
	"bytes"
	"errors"
	"io"

	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracefile"
)

// createRuns opens the place for new runs: see [tracefile.Create].
func (a *app) createRuns(path string) (tracefile.Writer, error) {
	switch path {
	case "":
		return nil, errors.New(`-o "": expected the name of a file`)
	case tracefile.Stream:
		return tracefile.NewWriter(a.out), nil
	}
	return tracefile.Create(path)
}

// writeFile writes a whole file, or stdout for "-".
func (a *app) writeFile(path string, write func(io.Writer) error) error {
	if path == "-" {
		var b bytes.Buffer // nothing on stdout when failing
		if err := write(&b); err != nil {
			return err
		}
		_, err := a.out.Write(b.Bytes())
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Replace()
}
