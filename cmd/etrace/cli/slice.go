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

// sliceFlags are the flags of slice.
type sliceFlags struct {
	plan string
	out  string
	tag  bool
	part string
}

// sliceCommand returns the command etrace slice.
func (a *app) sliceCommand() *cobra.Command {
	f := &sliceFlags{}
	cmd := &cobra.Command{
		Use:   "slice --plan PLAN [TRACE]",
		Short: "Write the events that each shard of a plan needs",
		Long: `Write the events that each shard needs into a new FOLDER: 0.jsonl, 1.jsonl, ... With
-o -, write them to stdout, each line after its shard and a tab. Slices save
time: check --plan also reads whole traces.`,
		Example: `  etrace slice --plan run-plan.json -o slices
  etrace slice --plan run-plan.json --part 2/8 -o slices-2 run.db
  etrace slice --plan run-plan.json --tag < events.jsonl`,
		Args: atMost(1, "the trace that was planned"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.slice(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.plan, "plan", "", "slice by this `PLAN`")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the slices to this new `FOLDER`; - is stdout")
	cmd.Flags().BoolVar(&f.tag, "tag", false, "filter lines of events on stdin")
	cmd.Flags().StringVar(&f.part, "part", "", "read part `I/N` of the run, such as 0/8")
	return cmd
}

// slice writes the events that each shard of a plan needs: of the run, of a part of it, or of the lines on stdin.
func (a *app) slice(ctx context.Context, f *sliceFlags, args []string) error {
	switch {
	case f.plan == "":
		return errors.New("slice: expected --plan PLAN")
	case f.tag && f.out != "":
		return errors.New("--tag and --output: expected one of them")
	case f.tag && f.part != "":
		return errors.New("--tag and --part: expected one of them")
	case f.tag && len(args) > 0:
		return fmt.Errorf("--tag reads lines from stdin, expected no %s", args[0])
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
	// Parts of the run do not show the state that rules read.
	if (f.tag || f.part != "") && !p.One.Alone {
		return fmt.Errorf("%s: the events of this plan do not show which shard needs them, "+
			"since rules read the state of processes; expected etrace slice -o FOLDER, which reads all of them in order", f.plan)
	}
	if f.tag {
		return a.tagLines(ctx, p, slicer)
	}
	return a.sliceRun(ctx, f, p, slicer, args)
}

// sliceRun writes the slices of the run, or of a part of it, to a folder or to stdout.
func (a *app) sliceRun(ctx context.Context, f *sliceFlags, p *shard.Plan, slicer *shard.Slicer, args []string) error {
	path := p.Traces[0].Path
	if len(args) > 0 {
		path = args[0]
	}
	s, rec, err := a.runOf(ctx, p, path, "slicing")
	if err != nil {
		return err
	}
	defer s.Close()
	if rec.Run().Slice {
		return fmt.Errorf("%s: %w", path, tracefmt.ErrSlice)
	}
	slicing := &slicing{slicer: slicer, source: s, rec: rec, plan: p}
	if f.part != "" {
		if err := slicing.onlyPart(f.part); err != nil {
			return err
		}
	}
	if f.out == tracefile.Stream {
		return slicing.tag(a.out)
	}
	return atomicfile.Folder(f.out, slicing.files)
}

// slicing writes the slices of a run or, if part is true, of its events from first to last.
type slicing struct {
	slicer      *shard.Slicer
	source      *source
	rec         tracefmt.Recording
	plan        *shard.Plan
	part        bool
	first, last tracefmt.Seq
}

// onlyPart restricts the slicing to part I of N of the run, given as I/N. All parts have about the same number of events.
func (s *slicing) onlyPart(text string) error {
	part, parts, err := shard.ParseShare(text)
	switch events := s.rec.Run().Events; {
	case err != nil:
		return fmt.Errorf("--part %w", err)
	case s.source.DB() == nil:
		return fmt.Errorf("--part: %s is no database; expected one, or the lines of the part with --tag", s.source.Path())
	default:
		before := func(part int) tracefmt.Seq {
			quotient, remainder := events/int64(parts), events%int64(parts)
			return tracefmt.Seq(quotient*int64(part) + remainder*int64(part)/int64(parts))
		}
		s.part, s.first, s.last = true, before(part)+1, before(part+1)
		return nil
	}
}

// tag writes all slices to one stream. The number of the shard and a tab precede each line.
func (s *slicing) tag(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := s.each(func(shard int, line []byte) error {
		tagLine(out, shard, bytes.TrimSuffix(line, []byte("\n")))
		return nil
	})
	if err == nil {
		err = s.trailers(out)
	}
	return errors.Join(err, out.Flush())
}

// tagLines reads events on stdin, which may be any part of the run, and writes each line once for each shard that needs it,
// after the number of the shard.
func (a *app) tagLines(ctx context.Context, p *shard.Plan, slicer *shard.Slicer) error {
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
			err = slicer.EndStretch(dec.Ended())
			if err == nil {
				err = (&slicing{slicer: slicer, plan: p}).trailers(out)
			}
			return errors.Join(err, out.Flush())
		case err != nil:
			return fmt.Errorf("stdin: %w", err)
		case dec.LeavesOutCause():
			return fmt.Errorf("stdin: line %d: the event does not say its cause, which only the whole run has; "+
				"expected lines as etrace export --format jsonl writes them", dec.Line())
		}
		shards, err := slicer.Shards(e)
		if err != nil {
			return fmt.Errorf("stdin: line %d: %w", dec.Line(), err)
		}
		for _, shard := range shards {
			tagLine(out, shard, dec.Text())
		}
	}
}

// trailers writes the last line of each slice, after the number of its shard.
func (s *slicing) trailers(out *bufio.Writer) error {
	for shard := range s.plan.Shards {
		line, err := s.slicer.Trailer(shard)
		if err != nil {
			return err
		}
		tagLine(out, shard, bytes.TrimSuffix(line, []byte("\n")))
	}
	return nil
}

// tagLine writes a line after the number of its shard. A write error appears when out is flushed.
func tagLine(out *bufio.Writer, shard int, line []byte) {
	out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(shard), 10))
	out.WriteByte('\t')
	out.Write(line)
	out.WriteByte('\n')
}

// pass reads the events, and calls do for each event that some shard needs.
func (s *slicing) pass(do func(shards []int, e *tracefmt.Event) error) error {
	for e, err := range s.rec.Events(max(1, s.first)) {
		var shards []int
		if err == nil && s.part && e.Seq > s.last {
			break
		}
		if err == nil {
			shards, err = s.slicer.Shards(e)
		}
		if err == nil && len(shards) > 0 {
			err = do(shards, e)
		}
		if err != nil {
			return err
		}
	}
	// Only the last part knows the end of the run.
	switch run := s.rec.Run(); {
	case s.part && int64(s.last) == run.Events:
		return s.slicer.EndStretch(run.End, run.Events)
	case s.part:
		return s.slicer.EndStretch("", 0)
	}
	if err := s.source.refuseMore(s.plan); err != nil {
		return err
	}
	_, err := s.slicer.End(s.rec.Run().End)
	return err
}

// each calls do for the line of each event, once for each shard that needs it.
func (s *slicing) each(do func(shard int, line []byte) error) error {
	lines := tracefmt.NewEncoder(io.Discard)
	if err := lines.Begin(s.slicer.Run()); err != nil {
		return err
	}
	return s.pass(func(shards []int, e *tracefmt.Event) error {
		line, err := lines.Line(e)
		for _, shard := range shards {
			err = cmp.Or(err, do(shard, line))
		}
		return err
	})
}

// mostSliced is the number of bytes of slices that stay in memory. They are then appended to the files one after another,
// because one open file for each shard could be too many.
const mostSliced = 16 << 20

// files writes a slice for each shard into the folder. A shard that needs no events gets a slice without events.
func (s *slicing) files(folder *atomicfile.NewFolder) error {
	header, err := s.slicer.Header()
	if err != nil {
		return err
	}
	parts, size := make([]bytes.Buffer, s.plan.Shards), 0
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
	err = s.each(func(shard int, line []byte) error {
		parts[shard].Write(line)
		size += len(line)
		if size < mostSliced {
			return nil
		}
		return flush()
	})
	for i := range parts {
		if err != nil {
			return err
		}
		var line []byte
		line, err = s.slicer.Trailer(i)
		parts[i].Write(line)
	}
	return cmp.Or(err, flush())
}

// appendTo appends the buffered bytes to a file of the folder, and empties the buffer.
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
