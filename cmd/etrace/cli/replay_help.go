package cli

// replayHelp is the help of replay.
const replayHelp = `Show the state of a run after any event: variables, timers and clocks of every
process, and the messages in flight. On a terminal this is a full-screen stepper
(? lists its keys); elsewhere, or with --text, it prints the state at --at.

A PLACE is a seq, t=TIME, end, or a pattern such as 'receive COORDINATOR@3' or
'state elected=6': etrace explain pattern. What-if edits: etrace explain what-if.
--as compares a run with an algorithm: etrace explain conformance.

Exit status: 1 if runs or programs differ; 3 if --as could not decide.`

// replayExamples are executed by a test, like those of all commands.
const replayExamples = `  etrace replay --at 'state elected@3' --text
  etrace replay --what-if 'drop m12'
  etrace replay --as bully-buffalo --param timeout=4`
