package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// recordFlags are the flags of record.
type recordFlags struct {
	stated scenario.Scenario // the keys that flags set
	given  map[string]bool   // the names of these keys
	file   string
	out    string
	runs   int
	print  bool
	json   bool

	complete completenessFlag
	hunt     huntFlags
	orders   orderFlags
	exec     execFlags
}

func (a *app) recordCommand() *cobra.Command {
	f := &recordFlags{stated: scenario.Scenario{Algorithms: a.Algorithms}, given: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "record [ALGORITHM]",
		Short: "Run an algorithm in simulated time, or programs, and record it",
		Long: `Run an algorithm in simulated time and append the run to a trace. Without arguments
it is the bully example of the lecture notes.
Times are in mean message delays, or durations (1s is one unit). The same scenario
and seed give the same run.

A run ends quiescent, at a deadline, or at a proven loop: a repeated global state.
--hunt looks for the fewest faults that violate a property: etrace explain hunt.
--all-orders checks every schedule: etrace explain all-orders.
--exec runs programs that speak Maelstrom's protocol: etrace explain exec.

Exit status: 1 if --hunt or --all-orders found a violation; 3 if --all-orders left something open.`,
		Example: `  etrace record chang-roberts --ids 0-5 --down 5 --start 2 --crash 4@5
  etrace record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader
  etrace record --exec './node --flag' --nodes 3 --workload lin-kv --lockstep --crash 1@2 --recover 1@3`,
		Args: atMost(1, "the name of an algorithm"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.record(cmd.Context(), f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.Algorithms.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	keys := f.keyFlags(cmd)
	cmd.Flags().StringVar(&f.file, "scenario", "", "read the scenario from a YAML `FILE`; flags override it")
	f.out = defaultTrace
	outVar(cmd, &f.out, "output", "o", "append to this trace `FILE`; a new .jsonl; - is stdout")
	cmd.Flags().IntVar(&f.runs, "runs", 1, "record `K` runs, each with the next seed")
	cmd.Flags().BoolVar(&f.print, "print-scenario", false, "print the scenario as a file and record nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, such as etrace.record/1")
	f.complete.flags(cmd, "declare the completeness of the recording")
	f.hunt.flags(cmd, a.Properties)
	f.orders.flags(cmd, a.Properties)
	f.exec.flags(cmd)
	groupFlags(cmd,
		flagGroup{title: "The scenario", flags: append(without(keys, rareKeys), "scenario", "print-scenario")},
		flagGroup{title: "A hunt", flags: []string{"hunt", "hunt-faults", "hunt-runs", "hunt-time", "hunt-save"}},
		flagGroup{title: "Programs", flags: []string{"exec", "workload", "lockstep", "pause"}},
		flagGroup{title: "All orders", flags: []string{"all-orders", "only", "max-runs"}},
		flagGroup{title: "More of the scenario", flags: rareKeys, replacement: "etrace explain FLAG"},
	)
	return cmd
}

// rareKeys are the flags that help lists by their names only.
var rareKeys = []string{
	"name", "attribute", "best", "attribute-ties", "anonymous", "edges", "coordinator", "op", "slow", "duplicate", "reorder", "silence",
	"lie", "forge", "edit", "choices", "round-length", "ring-repair", "timeout", "coordinator-timeout", "announce",
}

// without returns the names that are not excluded.
func without(names, excluded []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(excluded, name) })
}

// keyFlags adds a flag for each key of scenarios, and returns the names of the keys.
func (f *recordFlags) keyFlags(cmd *cobra.Command) (names []string) {
	for i := range scenario.Keys {
		key := &scenario.Keys[i]
		if key.Name == "algorithm" {
			continue // the algorithm is the argument, not a flag
		}
		names = append(names, key.Name)
		cmd.Flags().Var(&keyFlag{key, f}, key.Name, key.Doc)
		if key.Switch {
			cmd.Flags().Lookup(key.Name).NoOptDefVal = "on"
		}
	}
	completeFor(cmd, "param", func(args []string) []string {
		if len(args) == 0 {
			return nil
		}
		a, err := f.stated.Algorithms.Lookup(args[0])
		if err != nil {
			return nil
		}
		return a.Assignments()
	})
	return names
}

// severalNumbers matches a range or a list of numbers, such as 3..8, 3-8 or 3,4.
var severalNumbers = regexp.MustCompile(`^\d+(?:(?:\.\.|-|,|:)\d+)+$`)

// keyFlag is the value of a flag that sets a key of the scenario.
type keyFlag struct {
	key *scenario.Key
	f   *recordFlags
}

func (k *keyFlag) String() string { return "" }

func (k *keyFlag) Type() string { return k.key.Arg }

// Set implements [pflag.Value]. For a value that only sweep accepts, the error names sweep.
func (k *keyFlag) Set(text string) error {
	k.f.given[k.key.Name] = true
	err := k.key.Set(&k.f.stated, text)
	switch {
	case err == nil:
		return nil
	case sweep.HasSymbol(k.key.Name, text):
		return fmt.Errorf("%w; words for processes, such as highest, are of etrace sweep", err)
	case k.key.Name == "nodes" && severalNumbers.MatchString(text):
		return fmt.Errorf("%w; several sizes, such as 3..8, are of etrace sweep", err)
	}
	return err
}

// scenario returns the scenario of the argument, the flags and the file of --scenario. Flags override the file.
func (f *recordFlags) scenario(args []string) (*scenario.Scenario, error) {
	if len(args) == 1 {
		f.stated.Algorithm = args[0]
		f.given["algorithm"] = true
	}
	s := &f.stated
	if f.file != "" {
		loaded, err := scenario.Load(f.file)
		if err != nil {
			return nil, err
		}
		s = scenario.Merge(loaded, &f.stated, f.given)
	}
	s.Complete()
	return s, nil
}

// record simulates the scenario and records its runs. With --exec it records programs, with --hunt the run of a found
// violation, and with --all-orders one run for each worst verdict.
func (a *app) record(ctx context.Context, f *recordFlags, args []string) error {
	if f.exec.given() {
		return a.recordExec(ctx, f, args)
	}
	s, err := f.scenario(args)
	if err != nil {
		return err
	}
	if f.runs < 1 {
		return fmt.Errorf("--runs %d: expected 1 or more", f.runs)
	}
	if err := tracefile.CheckName(f.out); err != nil {
		return err
	}
	// The scenario is executable and its declarations fit before a file is created.
	_, run, err := s.Simulation()
	if err != nil {
		return err
	}
	if err := run.Declare(f.complete.completeness); err != nil {
		return err
	}
	if f.print {
		text, err := s.YAML()
		if err == nil {
			_, err = a.out.Write(text)
		}
		return err
	}
	if reason := s.Idle(); reason != "" {
		a.note("no process starts in this scenario: %s", reason)
	}
	if remark := s.Misstarts(); remark != "" {
		a.note("%s", remark)
	}
	switch {
	case f.hunt.property != "":
		return a.recordHunt(ctx, f, s)
	case f.orders.all:
		return a.recordOrders(ctx, f, s)
	}
	w, err := a.createRuns(f.out)
	if err != nil {
		return err
	}
	defer w.Discard()
	return a.recordRuns(ctx, f, s, w)
}

// recordRuns records the runs. After an interrupt it keeps the recorded events; the last run is then marked as stopped.
func (a *app) recordRuns(ctx context.Context, f *recordFlags, s *scenario.Scenario, w tracefile.Writer) error {
	task, total := "recording events", 0
	if f.runs > 1 {
		task, total = "recording runs", f.runs
	}
	if f.out != tracefile.Stream {
		defer a.keepPartialResult()()
	}
	sink := &recordSink{Sink: w, bar: a.progress(task, int64(total)), alone: f.runs == 1, complete: f.complete.completeness}
	counted := &complexity.Sink{Sink: sink}
	interrupted := false
	var noEffect remarks
	var recorder scenario.Recorder
	for i := 0; i < f.runs && !interrupted; i++ {
		single := *s
		single.Seed += int64(i)
		_, result, err := recorder.Record(ctx, &single, counted)
		if err != nil {
			return withAdvice(err)
		}
		if err := single.CheckEdits(result); err != nil {
			return err
		}
		noEffect.add(single.Remarks(result))
		// An interrupt between two runs leaves the last run whole, and the series incomplete.
		interrupted = result.Interrupted || ctx.Err() != nil && i+1 < f.runs
	}
	sink.bar.done()
	if err := w.Commit(); err != nil {
		return withAdvice(err)
	}
	for i, outcome := range counted.Runs {
		outcome.Run = sink.runs[i].Number
	}
	if err := a.printRecorded(f, counted.Runs); err != nil {
		return err
	}
	noEffect.note(a, f.runs)
	if interrupted {
		last := counted.Runs[len(counted.Runs)-1]
		return fmt.Errorf("interrupted: kept %d of %d runs, the last of them with %d events", len(counted.Runs), f.runs, last.Events)
	}
	return nil
}

// remarks collects remarks on runs, and counts the runs with each of them.
type remarks struct {
	sentences []string
	runs      map[string]int
}

// add counts the remarks on one run.
func (r *remarks) add(sentences []string) {
	for _, sentence := range sentences {
		if r.runs == nil {
			r.runs = make(map[string]int)
		}
		r.runs[sentence]++
		if r.runs[sentence] == 1 {
			r.sentences = append(r.sentences, sentence)
		}
	}
}

// note prints the remarks; with several runs, each with its number of runs.
func (r *remarks) note(a *app, total int) {
	for _, sentence := range r.sentences {
		if n := r.runs[sentence]; total > 1 {
			sentence += fmt.Sprintf(" (%d of %d runs)", n, total)
		}
		a.note("%s", sentence)
	}
}

// withAdvice adds a hint to the error for a full disk: -o can name another disk. A [tracedb.KeptError] has its own
// hint.
func withAdvice(err error) error {
	var kept *tracedb.KeptError
	if errors.Is(err, syscall.ENOSPC) && !errors.As(err, &kept) {
		err = fmt.Errorf("%w; the same command with -o in another place records the same runs", err)
	}
	return err
}

// recordSink is a sink that sets the tool and the completeness of the runs, and shows the progress: by events for a
// single run, else by runs.
type recordSink struct {
	tracefmt.Sink
	bar      *progress
	alone    bool
	complete *tracefmt.Completeness
	runs     []*tracefmt.Run // their numbers may change until all are there
}

// Begin implements [tracefmt.Sink].
func (s *recordSink) Begin(run *tracefmt.Run) error {
	run.Tool = toolName
	if err := run.Declare(s.complete); err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	return s.Sink.Begin(run)
}

// Write implements [tracefmt.Sink].
func (s *recordSink) Write(e *tracefmt.Event) error {
	if s.alone {
		_ = s.bar.Write(e)
	}
	return s.Sink.Write(e)
}

// Finish implements [tracefmt.Sink].
func (s *recordSink) Finish(end tracefmt.End) error {
	if !s.alone {
		s.bar.update(int64(len(s.runs)))
	}
	return s.Sink.Finish(end)
}

// printRecorded prints a line for each run. It goes to stderr if the runs themselves go to stdout.
func (a *app) printRecorded(f *recordFlags, outcomes []*complexity.Outcome) error {
	w := a.out
	if f.out == "-" {
		w = a.err
	}
	summary := complexity.Summary{File: f.out, Runs: outcomes}
	switch {
	case f.json:
		return summary.WriteJSON(w)
	case a.quiet:
		return nil
	}
	return summary.WriteText(w)
}
