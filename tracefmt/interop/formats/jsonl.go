package formats

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// jsonl is the text twin of a trace. Its runs are passed on unchanged.
var jsonl = interop.Format{
	Name:     "jsonl",
	Doc:      "JSON Lines of etrace: one JSON object on each line, lossless",
	Describe: tracefmt.DescribeJSONL,
	Source:   "docs/format.md",
	Detect:   detectJSONL,
	Read:     readJSONL,
	Write:    writeJSONL,
	Keeps:    interop.Everything,
	Returns:  interop.Everything,
}

// begin matches the beginning of a header.
var begin = regexp.MustCompile(`^(?:\x{FEFF})?\s*\{\s*"format"\s*:\s*"etrace/`)

// detectJSONL looks for the version mark, also of versions that it
// cannot read, so that the user hears of the version and not of the format.
func detectJSONL(head []byte) interop.Confidence {
	if begin.Match(head) {
		return interop.Certain
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF"))), []byte("\n"))
	return interop.SureIf(bytes.HasPrefix(first, []byte("{")) && bytes.Contains(first, []byte(`"etrace/`)))
}

// readJSONL streams: of a file that turns out to be damaged, the sink has
// got the part before the damage.
func readJSONL(r *interop.Reading) error {
	dec := tracefmt.NewDecoder(r)
	for runs := 0; ; runs++ {
		run, err := dec.NextRun()
		switch {
		case err == io.EOF && runs == 0:
			return r.Errorf(0, "no run, expected a first line {\"format\":%q, …}", tracefmt.JSONLFormat)
		case err == io.EOF:
			return nil
		case err == nil:
			err = readJSONLRun(r, dec, run)
		}
		if err != nil {
			return jsonlError(r, dec, err)
		}
	}
}

// readJSONLRun passes the events of a run to the sink.
func readJSONLRun(r *interop.Reading, dec *tracefmt.Decoder, run *tracefmt.Run) error {
	sink, err := r.Pass(run)
	if err != nil {
		return err
	}
	for {
		e, err := dec.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := sink.Write(e); err != nil {
			return err
		}
	}
	if run.End == tracefmt.Open && !run.Slice {
		sink.Note("the run has no trailer: it was cut, or is still being recorded")
	}
	return sink.Finish(run.End)
}

// jsonlError returns the error at the decoder's line. The text of a decoder's error begins with the line, which
// it removes.
func jsonlError(r *interop.Reading, dec *tracefmt.Decoder, err error) error {
	line := int(dec.Line())
	if text, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("line %d: ", line)); ok {
		return r.Errorf(line, "%w", restated{text, err})
	}
	return r.Errorf(line, "%w", err)
}

// restated is an error with another text.
type restated struct {
	text string
	error
}

func (r restated) Error() string { return r.text }
func (r restated) Unwrap() error { return r.error }

func writeJSONL(w *interop.Writing, runs []tracefmt.Recording) error {
	enc := tracefmt.NewEncoder(w)
	for _, run := range runs {
		if err := enc.Encode(run); err != nil {
			return err
		}
	}
	return nil
}
