package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// mergeEvents returns the report on the one run whose events were split. It opens the trace only if the report needs its
// events, such as the texts of witnesses, or if the whole run must be examined again.
func (a *app) mergeEvents(
	ctx context.Context, f *mergeFlags, p *shard.Plan, sum *shard.Summary, properties []*analyze.Property,
) (*report.Report, error) {
	var opened *source
	defer func() {
		if opened != nil {
			opened.Close()
		}
	}()
	open := sync.OnceValues(func() (rec tracefmt.Recording, err error) {
		from := cmp.Or(f.trace, p.Traces[0].Path)
		if from == tracefile.Stream && f.trace == "" {
			return nil, errors.New("the report needs the trace, which was read from stdin when the plan was made; expected it with --trace TRACE")
		}
		opened, rec, err = a.runOf(ctx, p, from, "reading events of the report")
		if err != nil {
			return nil, fmt.Errorf("the report needs the trace (--trace TRACE, if it is elsewhere): %w", err)
		}
		return rec, nil
	})
	return p.EventsReport(sum, properties, func(reason string) (tracefmt.Recording, error) {
		if reason != "" {
			a.note("merge examines the whole trace: %s", reason)
		}
		return open()
	})
}
