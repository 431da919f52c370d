package mapping

import (
	"errors"

	"etrace/tracefmt/interop"
)

// Format reads logs by a mapping.
//
// Order. Events of a process follow the lines of its file; between processes a receive
// comes after its send. Else the lines of one file stay as they are, and those of several
// files are merged by time.
//
// Tells. What the mapping says; else all is told of the kinds and variables that occur.
var Format = interop.Format{
	Name:        "map",
	Doc:         "logs of any program, by a mapping of its lines: --map FILE",
	Source:      "package tracefmt/interop/mapping",
	Detect:      func([]byte) interop.Confidence { return interop.No },
	Describe:    describe,
	Read:        read,
	Joins:       true,
	ReadOptions: []interop.Option{{Name: "map", Arg: "FILE", Doc: "a FILE that says what the lines of the log are"}},
}

func read(r *interop.Reading) error {
	file := r.Value("map")
	if file == "" {
		return errors.New("format map needs a mapping, expected --map FILE")
	}
	m, err := Load(file)
	if err != nil {
		return err
	}
	return m.Read(r)
}
