package cli

import (
	"fmt"
	"strings"

	"etrace/record/scenario"
	"etrace/replay"
)

// replayHelp is the help of replay, with the forms of patterns and edits from
// the packages that read them.
func replayHelp() string {
	return `Show the state of a run after any of its events: the variables, timers and
clocks of every process, and the messages in flight. On a terminal, replay
opens a full-screen stepper, at the first message if not said otherwise, that
goes forth and back (? there lists the keys); elsewhere, or with --text, it
prints the state at --at, which is the end of the run if not said otherwise. What
the event changed is marked with *.

A place in a run is a SEQ (0 is before the first event), t=TIME, end, or a
pattern for the first event that matches it. A pattern is

  ` + replay.PatternForm + `

where KIND is an event kind (etrace list kinds) or * for any, and NAME a type of
messages, timers, operations or notes, or, after state, a variable. So

  crash                  any crash
  receive COORDINATOR@3  3 receives COORDINATOR
  send ELECTION to 6     anyone sends ELECTION to 6
  state elected=6        anyone elects 6
  * @3                   any event of 3

--past prints what led to an event: all that happened before it, by the order of each process and the way of messages.

--verify executes every run of traces again, by the scenario that it carries,
and every case of suites twice; the exit status is 1 if anything differs.

--what-if executes one run again with edits, appends the new run, and shows
where it leaves the recorded one and what it comes to. An EDIT is

` + editForms() + `

where MESSAGE is m12 by its id, or seq40 by the seq of its send, and WHEN is
seq40, just after that event, or a time, 3.5 or t=3.5.

--as compares what each process did with what an algorithm does when the same
happens to it; the exit status is 1 if they differ, and 3 if they have no message
in common: --alias says which words stand for the algorithm's. any ranks all algorithms.
What the recording does not list (--complete) may have happened: timeouts, local
steps, crashes, receipts are supposed where that explains the events that it has,
and a run differs only if nothing that may be supposed does. At most --max-steps
unrecorded steps are tried; if that does not suffice, the exit status is 3.

--node gives a program what a node of a recording of record --exec read, and compares what the program prints; the exit status is 1
at the first line that differs.`
}

// replayExamples are executed by a test, like those of all commands.
const replayExamples = `  etrace replay
  etrace replay runs.db --run 2 --at t=3.5 --text
  etrace replay --at 'state elected@3' --json
  etrace replay --steps 10..20
  etrace replay --watch elected@3
  etrace replay --find 'receive COORDINATOR'
  etrace replay --past 'state elected@3'
  etrace replay --verify trace.db fixtures/suites/*.yaml
  etrace replay --what-if 'drop m12'
  etrace replay --as bully-buffalo --param timeout=4
  etrace replay nodes.db --node n3 --ignore body.msg_id -- ./node --flag`

// editForms lists the edits for the help text.
func editForms() string {
	var b strings.Builder
	for _, f := range scenario.EditForms {
		fmt.Fprintf(&b, "  %-18s %s\n", f.Form, f.Doc)
	}
	fmt.Fprintf(&b, "  %-18s %s", "PARAM=VALUE@WHEN", "a parameter of the algorithm changes")
	return b.String()
}
