package interop

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt"
)

const jsonlName = "jsonl"

var jsonl = Format{
	Name:   jsonlName,
	Doc:    "etrace's own text twin: one JSON object a line, lossless",
	Source: "package tracefmt, section \"The text twin\"",
	Detect: detectJSONL,
	Read:   readJSONL,
	Write:  writeJSONL,
}

// detectJSONL looks for the version mark; Sure also of versions that it
// cannot read, so that the user hears of the version and not of the format.
func detectJSONL(head []byte) Confidence {
	first, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF"))), []byte("\n"))
	if bytes.HasPrefix(first, []byte("{")) && bytes.Contains(first, []byte(`"etrace/`)) {
		return Sure
	}
	return No
}

// readJSONL streams: of a file that turns out to be damaged, the sink has
// got the part before the damage.
func readJSONL(in *Input, sink tracefmt.Sink, o Options) (Report, error) {
	report := Report{Format: jsonlName}
	dec := tracefmt.NewDecoder(in)
	for {
		run, err := dec.NextRun()
		if err == io.EOF {
			break
		}
		if err != nil {
			return report, jsonlError(in, dec, err)
		}
		report.Runs = append(report.Runs, RunReport{})
		if err := readJSONLRun(dec, run, sink, &report.Runs[len(report.Runs)-1]); err != nil {
			return report, jsonlError(in, dec, err)
		}
	}
	if len(report.Runs) == 0 {
		return report, in.errorf(0, "no run, expected a first line {\"format\":%q, …}", tracefmt.JSONLFormat)
	}
	return report, nil
}

func readJSONLRun(dec *tracefmt.Decoder, run *tracefmt.Run, sink tracefmt.Sink, report *RunReport) error {
	to := intake{sink: sink}
	if err := to.begin(run, report); err != nil {
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
		if err := to.write(e); err != nil {
			return err
		}
	}
	if run.End == tracefmt.Open {
		report.note("the run has no trailer: it was cut, or is still being recorded")
	}
	return sink.Finish(run.End)
}

// jsonlError places an error at the decoder's line, which the decoder's own
// errors name already.
func jsonlError(in *Input, dec *tracefmt.Decoder, err error) error {
	line := int(dec.Line())
	if text, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("line %d: ", line)); ok {
		return in.errorf(line, "%w", restated{text, err})
	}
	return in.errorf(line, "%w", err)
}

// restated is an error with another text.
type restated struct {
	text string
	error
}

func (r restated) Error() string { return r.text }
func (r restated) Unwrap() error { return r.error }

func writeJSONL(w io.Writer, runs []tracefmt.Recording) error {
	enc := tracefmt.NewEncoder(w)
	for _, run := range runs {
		if err := enc.Encode(run); err != nil {
			return err
		}
	}
	return nil
}
