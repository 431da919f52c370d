package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"etrace/analyze/shard"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracefile"
)

type sliceFlags struct {
	plan string
	out  string
	tag  bool
}

func (a *app) sliceCommand() *cobra.Command {
	f := &sliceFlags{}
	cmd := &cobra.Command{
		Use:   "slice --plan PLAN [TRACE]",
		Short: "Write what each shard of a plan needs of a run",
		Long: `Read the run of a plan once, and write the events that each shard needs: into a new
FOLDER as 0.jsonl, 1.jsonl, ..., or with -o - to stdout, each line after the number
of its shard and a tab. Slices save time only: check --plan finds the same in the
whole trace. --tag is a filter for engines that split lines of events by themselves.`,
		Example: `  etrace slice --plan run-plan.json -o slices
  etrace slice --plan run-plan.json -o - run.jsonl | sort -s -n -k1,1 > all.txt
  etrace slice --plan run-plan.json --tag < events.jsonl`,
		Args: atMost(1, "the trace that was planned"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.slice(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.plan, "plan", "", "slice by this `PLAN`")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the slices to this new `FOLDER`; - is stdout")
	cmd.Flags().BoolVar(&f.tag, "tag", false, "filter lines of events on stdin")
	return cmd
}

func (a *app) slice(ctx context.Context, f *sliceFlags, args []string) error {
	if f.plan == "" {
		return errors.New("slice: expected --plan PLAN")
	}
	switch {
	case f.tag && f.out != "":
		return errors.New("--tag and --output: expected one of them")
	case !f.tag && f.out == "":
		return errors.New("slice: expected --output FOLDER, or --tag")
	}
	p, err := a.readPlan(ctx, f.plan)
	if err != nil {
		return err
	}
	if p.Mode != shard.Events {
		return fmt.Errorf("%s: a plan of several runs, whose shards need no slices: etrace check --plan %[1]s --shard I", f.plan)
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return err
	}
	slicer, err := shard.NewSlicer(p, properties)
	if err != nil {
		return fmt.Errorf("%s: %w", f.plan, err)
	}
	switch {
	case f.tag && len(args) > 0 && args[0] != tracefile.Stream:
		return fmt.Errorf("slice --tag: unexpected argument %q, expected events on stdin", args[0])
	case f.tag && !p.One.Alone:
		return fmt.Errorf("%s: the events of this plan do not show which shard needs them, since rules read the state of processes; expected etrace slice -o FOLDER, which reads all of them in order", f.plan)
	case f.tag:
		return a.tag(ctx, p, slicer)
	}
	path := p.Traces[0].Path
	if len(args) > 0 {
		path = args[0]
	}
	s, rec, err := a.runOf(ctx, p, path, "slicing")
	if err != nil {
		return err
	}
	defer s.Close()
	if f.out == tracefile.Stream {
		return a.tagAll(slicer, rec)
	}
	return atomicfile.Folder(f.out, func(folder *atomicfile.NewFolder) error { return writeSlices(folder, p.Shards, slicer, rec) })
}

// tag is a filter of lines.
func (a *app) tag(ctx context.Context, p *shard.Plan, slicer *shard.Slicer) error {
	input, err := a.input(ctx, tracefile.Stream)
	if err != nil {
		return err
	}
	defer input.Close()
	dec, out := tracefmt.NewLineDecoder(input, slicer.Run()), bufio.NewWriterSize(a.out, 1<<16)
	for {
		e, err := dec.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case err != nil:
			return fmt.Errorf("stdin: %w", err)
		case dec.LeavesOutCause():
			return fmt.Errorf("stdin: line %d: the event does not say its cause, which only the whole run has; expected lines as etrace export --format jsonl writes them", dec.Line())
		}
		for _, shard := range slicer.Shards(e) {
			tagLine(out, shard, dec.Text())
		}
	}
}

// tagLine writes a line behind the number of a shard. A write error appears at the flush of out.
func tagLine(out *bufio.Writer, shard int, line []byte) {
	out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(shard), 10))
	out.WriteByte('\t')
	out.Write(line)
	out.WriteByte('\n')
}

// tagAll writes all events of the run, each behind the numbers of the shards that need it.
func (a *app) tagAll(slicer *shard.Slicer, rec tracefmt.Recording) error {
	out := bufio.NewWriterSize(a.out, 1<<16)
	err := eachShard(slicer, rec, func(shard int, line []byte) error {
		tagLine(out, shard, bytes.TrimSuffix(line, []byte("\n")))
		return nil
	})
	return errors.Join(err, out.Flush())
}

// eachShard hands over the lines of the events of the run, once for each shard that needs it.
func eachShard(slicer *shard.Slicer, rec tracefmt.Recording, do func(shard int, line []byte) error) error {
	lines := tracefmt.NewEncoder(io.Discard)
	if err := lines.Begin(slicer.Run()); err != nil {
		return err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		shards := slicer.Shards(e)
		if len(shards) == 0 {
			continue
		}
		line, err := lines.Line(e)
		for _, shard := range shards {
			err = cmp.Or(err, do(shard, line))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mostSliced is how many bytes of slices are in memory before they are written: a file for each
// shard would be too many to have open.
const mostSliced = 16 << 20

// writeSlices writes a slice for each shard into a folder, also for shards that need no events.
func writeSlices(folder *atomicfile.NewFolder, shards int, slicer *shard.Slicer, rec tracefmt.Recording) error {
	header, err := slicer.Header()
	if err != nil {
		return err
	}
	parts, size := make([]bytes.Buffer, shards), 0
	for i := range parts {
		parts[i].Write(header)
	}
	flush := func() error {
		size = 0
		for i := range parts {
			if err := appendTo(folder, strconv.Itoa(i)+".jsonl", &parts[i]); err != nil {
				return err
			}
		}
		return nil
	}
	err = eachShard(slicer, rec, func(shard int, line []byte) error {
		parts[shard].Write(line)
		if size += len(line); size < mostSliced {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

func appendTo(folder *atomicfile.NewFolder, name string, part *bytes.Buffer) error {
	if part.Len() == 0 {
		return nil
	}
	f, err := folder.Append(name)
	if err != nil {
		return err
	}
	_, err = part.WriteTo(f)
	return errors.Join(err, f.Close())
}
