package report

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Origins returns the lines of the log that the events of witnesses were imported from; nil for a run that
// was not imported. It reads the recording up to the last such event.
func Origins(rec tracefmt.Recording, run *analyze.RunReport) (map[tracefmt.Seq]tracefmt.Origin, error) {
	var seqs []tracefmt.Seq
	for _, p := range run.Results {
		seqs = append(seqs, p.Witness...)
	}
	if len(seqs) == 0 || run.Run.Source == tracefmt.Simulated {
		return nil, nil
	}
	slices.Sort(seqs)
	origins := make(map[tracefmt.Seq]tracefmt.Origin)
	for e, err := range rec.Events(seqs[0]) {
		if err != nil {
			return nil, err
		}
		if i, asked := slices.BinarySearch(seqs, e.Seq); asked {
			if o := e.Origin(); !o.IsZero() {
				origins[e.Seq] = o
			} else if i == 0 {
				// A run without the log line of its first event has no log lines at all.
				return nil, nil
			}
		}
		if e.Seq >= seqs[len(seqs)-1] {
			break
		}
	}
	return origins, nil
}

// maxPlaces is the number of places in a log that people see for a witness.
const maxPlaces = 4

// places lists the places of the events of a witness: n1.log:12, :15, n2.log:3. It returns "" for
// events without a place.
func (run Run) places(witness []tracefmt.Seq) string {
	var places []string
	last := tracefmt.Origin{}
	for _, seq := range witness {
		o, ok := run.Origins[seq]
		if !ok || o == last {
			continue
		}
		place := harmless(o.String())
		if o.File != "" && o.File == last.File {
			place = fmt.Sprintf(":%d", o.Line)
		}
		places, last = append(places, place), o
	}
	if places == nil {
		return ""
	}
	return text.Some(places, maxPlaces)
}
