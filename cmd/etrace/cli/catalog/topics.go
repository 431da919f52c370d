package catalog

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/analyze/spec"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay"
	"etrace/replay/diff"
	"etrace/tracefmt/text"
)

// topic is a word of the field, or a task, for which etrace has properties, commands and pages.
type topic struct {
	name, meaning string
	// aliases are other words that find the topic.
	aliases []string
	// details is the text after the meaning.
	details    string
	properties []string
	commands   []string
	// pages are the names of files in docs, without .md.
	pages []string
}

// topics returns the topics, sorted by name.
func topics() []topic {
	return []topic{
		{
			name: "adversary", meaning: "A search for the schedule and ring order with the greatest or least value of a measure.",
			aliases: []string{"maximize", "minimize"},
			details: `The adversary chooses when messages arrive. On a ring without --ids or --order it also chooses the order
of the processes. No timer expires while a message is in flight. Planned starts and crashes after time
0 may happen at any moment, in their order; then the table has no published bounds.
A result is proven if the adversary tried all orders and schedules, or if no schedule changes it.
Otherwise it is the most extreme value found, and the exit status is 3, unless --allow-open is given.
--max-runs limits the search, and the table has the number of runs that would prove the result. An
interrupted search prints its best results.`,
			commands: []string{
				"etrace sweep franklin --nodes 2..3 --start all --maximize messages --save worst.db",
				"etrace sweep bully --nodes 3 --start lowest --minimize messages",
			},
			pages: []string{"complexity"},
		},
		{
			name: "all-orders", meaning: "A check of every schedule of a scenario (model checking).",
			aliases: []string{"model-checking", "exhaustive", "interleavings"},
			details: `A message may take any time. A timer expires only if no message is in flight; the earliest timer is the
first. Planned events after time 0 may happen at any moment, in their order. For each property, a run
with its worst verdict is recorded. The exit status is 1 for a violation, and 3 if a property is open
or --max-runs was reached.`,
			commands: []string{"etrace record bully --ids 1-4 --down 4 --start 1 --all-orders"},
			pages:    []string{"tour", "scenarios"},
		},
		{
			name: "atomic-broadcast", meaning: "All processes deliver the same messages in the same order: total order broadcast.",
			properties: []string{"broadcast-total-order", "broadcast-agreement"},
			commands:   []string{"etrace record total-order-broadcast", "etrace explain total-order-broadcast"},
			pages:      []string{"problems"},
		},
		{
			name: "atomic-commit", meaning: "All processes commit a transaction, or all abort it: two-phase and three-phase commit.",
			aliases:    []string{"2pc", "3pc"},
			properties: []string{"commit-agreement", "commit-all-yes", "commit-termination"},
			commands:   []string{"etrace record two-phase-commit", "etrace record three-phase-commit"},
			pages:      []string{"problems"},
		},
		{
			name: "bit-complexity", meaning: "The number of bits in all messages sent.",
			aliases: []string{"bits", "bytes"},
			details: "Bytes are counted in the recorded payloads. Bits are computed from the message declarations of " +
				"an algorithm: " + sim.WidthWords + ".",
			commands: []string{"etrace stats", "etrace sweep chang-roberts --nodes 4..6 --start lowest --measure bits,bytes"},
			pages:    []string{"complexity"},
		},
		{
			name: "budget", meaning: "A condition on the counts of a run: etrace stats --budget, and the property messages-at-most.",
			aliases:    []string{"expression"},
			details:    complexity.BudgetWords + ".",
			properties: []string{"messages-at-most"},
			commands:   []string{"etrace stats --budget 'messages <= 3*n-1'"},
			pages:      []string{"complexity"},
		},
		{
			name:       "byzantine",
			meaning:    "A process that may send any message, such as different values to different processes.",
			aliases:    []string{"liar", "arbitrary-fault"},
			properties: []string{"broadcast-agreement", "broadcast-no-creation", "consensus-agreement"},
			commands:   []string{"etrace record bracha", "etrace explain silence", "etrace explain lie", "etrace explain forge"},
			pages:      []string{"scenarios"},
		},
		{
			name: "candidate", meaning: "A process that requests votes. A follower accepts a leader. Raft records both in the variable role.",
			aliases:    []string{"follower", "role", "split-vote"},
			properties: []string{"unique-leader-per-term"},
			commands:   []string{"etrace check --only unique-leader-per-term", "etrace explain --needs unique-leader-per-term"},
			pages:      []string{"raft-logs", "vocabulary"},
		},
		{
			name: "ci", meaning: "A job that checks recorded runs or logs at each change, and fails if a property is violated.",
			aliases: []string{"continuous-integration", "junit-report"},
			commands: []string{
				"etrace check node*.log --format junit > etrace.xml",
				"etrace check node*.log --except single-leader --format github",
				"etrace diff before.db after.jsonl",
			},
			pages: []string{"ci"},
		},
		{
			name: "concurrent", meaning: "Two events are concurrent if neither happened before the other.",
			properties: []string{"single-leader-possibly", "mutual-exclusion-possibly"},
			commands:   []string{"etrace check --only single-leader-possibly", "etrace diff trace.db#1 trace.db#1"},
			pages:      []string{"language", "tour"},
		},
		{
			name: "conformance", meaning: "Whether an algorithm can produce the recorded run.",
			details: `etrace gives the algorithm the recorded inputs of each process, and compares its steps with the recorded
steps. --as any ranks all algorithms. If the recording is partial (--complete), etrace infers unrecorded
timeouts, local steps, crashes and receives that explain the recorded events. The run differs only if
no such steps explain it. --max-steps limits the search. The exit status is 3 if the limit is
reached, or if the run has no message of the algorithm. --alias FILE maps names: 'RequestVote: MsgVote'.`,
			commands: []string{"etrace replay --as raft trace.db"},
			pages:    []string{"raft-logs", "tour"},
		},
		{
			name: "consistent-cut", meaning: "A set of events that contains, with each event, all events that happened before it.",
			aliases: []string{"cut", "snapshot-state", "global-state"},
			details: `A snapshot algorithm records a consistent cut. etrace render draws this cut as a line across the
lifelines. --cut draws another cut: after the named events, or after the first event of each process
that matches a pattern. A message that is sent inside the cut and received outside has a pale band: it
is in a channel. A message that is received inside and sent outside makes the cut inconsistent; its
band has edges.`,
			properties: []string{"snapshot-consistent"},
			commands:   []string{"etrace record chandy-lamport -o snapshot.db", "etrace render --cut 6,9 -o cut.svg"},
			pages:      []string{"problems", "tour"},
		},
		{
			name: "counterexample", meaning: "The events that show a violation. Reports call these events the witness.",
			aliases: []string{"witness"},
			commands: []string{
				"etrace check --explain",
				"etrace record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader",
				"etrace render --witness single-leader",
				"etrace explain etrace.check/1",
			},
			pages: []string{"tour", "json"},
		},
		{
			name: "deadlock", meaning: "Processes of a set wait for each other, so none of them can continue.",
			properties: []string{"no-starvation", "election-liveness", "consensus-termination", "commit-termination"},
			commands:   []string{"etrace check --only no-starvation", "etrace render --diagram graph"},
			pages:      []string{"problems"},
		},
		{
			name: "diff-parts", meaning: "What etrace diff compares, and what --ignore leaves out.",
			aliases: []string{"diff", "ignore"},
			details: "The texts of logs are compared if both runs have them. Descriptions of runs, message ids, logical " +
				"clocks and\nline numbers are never compared.\n" + ignorable(),
			commands: []string{"etrace diff trace.db#1 trace.db#1 --ignore timers,notes"},
			pages:    []string{"json"},
		},
		{
			name: "exactly-once", meaning: "Each message has its effect once: none is lost, and none is received twice.",
			properties: []string{"no-loss", "no-duplication", "broadcast-no-duplication"},
			commands:   []string{"etrace check --only no-loss,no-duplication"},
			pages:      []string{"problems"},
		},
		{
			name:    "exec",
			meaning: "etrace record --exec runs programs as nodes n1, n2, ...; they speak Maelstrom's protocol, JSON over stdin and stdout.",
			aliases: []string{"maelstrom-node", "program", "stdio"},
			details: `--exec starts the command once for each node; the command is split into words as by a shell. Each node has
a simulated client. The flags of simulated runs define the network and its faults, where 3 means node
n3, and one unit of time is 1s: --crash is kill -9, --recover starts the node again. A message takes 5
to 15 ms unless --delay is given. A run ends at --until (default 10s). With --lockstep, etrace delivers
one message at a time, in virtual time.`,
			properties: []string{"linearizability"},
			commands: []string{
				"etrace record --exec ./node --nodes 3 --lockstep --until 1 -o nodes.db",
				"etrace replay nodes.db --node n3 --ignore body.msg_id -- ./node",
			},
			pages: []string{"record"},
		},
		{
			name: "exit-status", meaning: "The status of every command: 0, 1, 2 or 3.",
			aliases: []string{"exit", "exit-code", "status"},
			details: `0  done and nothing wrong
1  a property is violated, a budget exceeded, a formula or an expected value wrong; two runs
   differ, a replay diverges, lint found an error
2  etrace could not do its work; one line on stderr names the file and the place
3  no violation, but a property that had to be decided is open (pending or unknown):
   - a property or rule that the user named: it must also apply to a run of each trace
   - any property of a complete recording, such as a simulated run
   - any property of any recording, with --strict
   - a property that only a gap, a member without a log, or a bound leaves open
   or a trace in which no property was examined: all verdicts are vacuous or not applicable
With --allow-open the status is 0 instead of 3, unless no property was examined. If a run is damaged,
the status is 2, unless a property is violated; with --salvage the damaged run counts as open.`,
			commands: []string{"etrace check", "etrace check --strict", "etrace check --allow-open"},
			pages:    []string{"ci"},
		},
		{
			name: "failure-detector", meaning: "A module that suspects crashed processes; its events are suspect and trust.",
			aliases:    []string{"suspicion", "heartbeat"},
			properties: []string{"commit-abort-cause"},
			commands:   []string{"etrace explain suspect", "etrace check -e 'each s: suspect was preceded by crash(process = s.peer)'"},
			pages:      []string{"language", "vocabulary"},
		},
		{
			name: "fairness", meaning: "No process waits forever while others are served, or is overtaken more often than a bound.",
			properties: []string{"no-starvation", "bounded-bypass", "request-order-fairness"},
			commands:   []string{"etrace check --only 'no-starvation,bounded-bypass(3)'"},
			pages:      []string{"laws"},
		},
		{
			name: "fault-injection", meaning: "Crashes, partitions, and lost, late and duplicated messages in a simulated run.",
			aliases:  []string{"chaos"},
			commands: []string{"etrace record --crash 6@2.5", "etrace record bully --hunt single-leader", "etrace list faults"},
			pages:    []string{"scenarios", "failures"},
		},
		{
			name: "fencing-token", meaning: "A number that grows with each lease, so that a resource can refuse an old holder.",
			properties: []string{"single-leader", "mutual-exclusion"},
			commands:   []string{"etrace check --only single-leader", "etrace list constructs"},
			pages:      []string{"language"},
		},
		{
			name: "fit-formula", meaning: "A closed form in n that fits the measured means and extremes of a sweep.",
			aliases: []string{"formula", "closed-form"},
			details: `etrace first looks for an exact formula, which holds at every size: a sum of powers of n, floor(log2(n)),
n % 2, H(n) and similar terms. A sum of k powers needs at least k+3 sizes, where lower powers and the
constant count as terms; a sum with other terms needs 2k+2. If there is no exact formula, shapes such as
n*log2(n) are fitted to at least six sizes up to 64, and compared with the larger sizes. A shape is
rejected if it differs at a measured size by more than 5 %, or by more than chance. It is also rejected
if it is negative, or if it falls while the values rise.
--split adds the id of the starting process as a second variable. --formula compares your formula
at each size: the exit status is 1 if it is wrong, for samples by more than three standard errors, and
3 if the comparison is open.`,
			commands: []string{
				"etrace sweep bully --nodes 3..9 --start each --split --measure messages --fit-formula",
				"etrace sweep chang-roberts --nodes 2..5 --order all --start all --measure type.election --formula 'n*H(n)'",
				"etrace sweep chang-roberts --nodes 4,5,6 --order random --start all --fit-formula --plot mean.svg --report report.html",
			},
			pages: []string{"complexity"},
		},
		{
			name: "flaky", meaning: "A test whose result depends on the schedule. A simulated run depends only on its scenario and seed.",
			properties: []string{"single-leader-possibly"},
			commands: []string{
				"etrace record bully --nodes 5 --start 1 --delay 'exponential(1)' --runs 10 -o runs.db",
				"etrace record bully --ids 1-4 --down 4 --start 1 --all-orders", "etrace replay --verify trace.db",
			},
			pages: []string{"tour", "record"},
		},
		{
			name: "follow", meaning: "A check of a log while it is written.",
			aliases: []string{"stream", "live", "online"},
			details: `  ./service | etrace check - --follow --map raft.yaml
etrace names each property on stderr when it is first violated. It prints the report at the end of the
stream, at Ctrl-C, or with --fail-fast at the first violation. Only the report is final, because later
lines may explain a violation, and properties such as linearizability are decided at the end. Without
--map, the check begins after the first lines, from which etrace guesses the format.`,
			pages: []string{"ci"},
		},
		{
			name: "go", meaning: "A Go program records its runs by the package etrace/record, with a method for each kind of event.",
			commands: []string{"etrace explain jsonl", "etrace check trace.db"},
			pages:    []string{"record", "format"},
		},
		{
			name: "golden-run", meaning: "A stored run with which later runs are compared.",
			aliases:  []string{"regression", "baseline"},
			commands: []string{"etrace diff before.db after.jsonl", "etrace replay --verify trace.db", "etrace suite tables.yaml"},
			pages:    []string{"ci"},
		},
		{
			name: "grammar", meaning: "The grammar of the language of rules.",
			aliases:  []string{"language", "rules", "spec"},
			details:  spec.Grammar(),
			commands: []string{"etrace list constructs", "etrace list functions"},
			pages:    []string{"language"},
		},
		{
			name: "grid", meaning: "The scenarios of a sweep: each combination of the values of its axes is a cell.",
			aliases: []string{"sweep-axes", "sample"},
			details: `A flag of record that is given several times, as a list or as a range, is an axis.
  --nodes 3..24    3..24..3 is 3, 6, ..., 24; 8,16,32 is a list
  --order ORDER    ` + enumeration(sweep.Orders()) + `
  --start, --down, --crash SYMBOL[@T]
                   ` + enumeration(sweep.Symbols()) + `
An order permutes the ids. lowest and highest are among all processes; each, all and random choose live
processes.

A cell without random choices is exhausted: all its runs are made, and its mean is an exact fraction.
Any other cell is a sample of K runs (--seeds) for each order and process, each with its own seed
(from --seed on). The mean of a sample has a 95 % confidence interval; min and max are measured values.

-o FILE keeps the results, so the same command continues after an interruption. --shard I/N makes part
I of N, from 0, and etrace merge prints the table of all parts. A sweep without -o that is interrupted
prints the finished runs, names the incomplete cells, and exits with 3. --rank compares the means at
each n, and samples by their confidence intervals. The column published compares each published bound
with the nearest run.`,
			commands: []string{
				"etrace sweep bully --nodes 3..5 --start each",
				"etrace sweep chang-roberts --nodes 4 --order all --start all -o swept/0.db --shard 0/2",
				"etrace sweep bully,ring --nodes 2..4 --start each --measure messages --pivot algorithm --rank",
			},
			pages: []string{"scenarios", "complexity"},
		},
		{
			name: "happens-before", meaning: "The order that messages impose: an event can only have an effect on later events in this order.",
			aliases:    []string{"happened-before", "causality", "causal-order"},
			properties: []string{"causal-delivery", "broadcast-causal-order", "lamport-clocks", "vector-clocks"},
			commands: []string{
				"etrace check --only single-leader-possibly", "etrace render --cut send",
				"etrace query 'SELECT seq, process, kind, lamport FROM events'",
			},
			pages: []string{"language", "tour"},
		},
		{
			name: "hunt", meaning: "A search for the fewest faults that violate a property.",
			details: `A hunt adds faults to the scenario, first a single fault, then more: slow messages, crashes, recoveries and starts,
or the faults of --hunt-faults. It records the smallest run that violates the property, and prints the
flags of this run. The seed decides the order of the search. The exit status is 1 if a violation was
found.`,
			commands: []string{
				"etrace record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader",
				"etrace record chang-roberts --nodes 8 --start 1 --hunt 'messages-at-most(3*n-1)'",
				"etrace list faults",
			},
			pages: []string{"scenarios", "failures"},
		},
		{
			name: "impossibility", meaning: "No deterministic algorithm solves consensus if messages take any time and one process may crash (FLP).",
			aliases:    []string{"flp"},
			properties: []string{"consensus-termination"},
			commands:   []string{"etrace record paxos", "etrace check --only consensus-termination"},
			pages:      []string{"problems"},
		},
		{
			name: "leader-election", meaning: "Processes choose one of them as the leader.",
			properties: []string{"single-leader", "election-liveness", "election-safety"},
			commands:   []string{"etrace list algorithms", "etrace record bully"},
			pages:      []string{"problems", "tour"},
		},
		{
			name: "lease", meaning: "A right that expires at a certain time. If clocks differ, two processes may hold the right at the same time.",
			properties: []string{"single-leader", "single-leader-possibly", "mutual-exclusion"},
			commands:   []string{"etrace check --only single-leader,single-leader-possibly"},
			pages:      []string{"tour", "language"},
		},
		{
			name: "linearizable", meaning: "Each operation appears to take effect at one moment between its invocation and its return.",
			properties: []string{"linearizability"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name:       "livelock",
			meaning:    "Processes take steps forever without progress. A repeated global state proves a livelock (lasso); a log that ends cannot.",
			aliases:    []string{"lasso", "non-terminating", "non-termination"},
			properties: []string{"election-liveness", "no-starvation", "consensus-termination"},
			commands: []string{
				"etrace record chang-roberts --ids 0-5 --down 5 --start 2 --crash 4@5",
				"etrace render --witness election-liveness",
			},
			pages: []string{"tour", "failures"},
		},
		{
			name: "log", meaning: "etrace reads the log of a program by a mapping, which it guesses from the lines and which you can correct.",
			aliases: []string{"logs", "mapping"},
			commands: []string{
				"etrace check node*.log", "etrace import node*.log --suggest > log.yaml",
				"etrace import node*.log --map log.yaml -o logs.db",
			},
			pages: []string{"mappings", "raft-logs", "partial"},
		},
		{
			name:       "logical-clock",
			meaning:    "Numbers that grow along happens-before: Lamport clocks, and vector clocks, which also show what is concurrent.",
			aliases:    []string{"logical-clocks", "lamport-clock", "lamport-timestamp", "lamport-timestamps", "vector-clock"},
			properties: []string{"lamport-clocks", "vector-clocks"},
			commands:   []string{"etrace check --only lamport-clocks,vector-clocks"},
			pages:      []string{"format"},
		},
		{
			name: "lost-update", meaning: "An operation returned, but later operations do not see its effect.",
			properties: []string{"linearizability", "no-loss", "raft-leader-completeness"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name: "measure", meaning: "A number that a sweep or a suite measures in each run.",
			aliases:  []string{"measures"},
			details:  "--measure takes these names, separated by commas:\n" + definitions(sweep.Measures()),
			commands: []string{"etrace sweep bully --nodes 3..5 --start lowest --measure messages,depth,type.OK"},
			pages:    []string{"complexity", "json"},
		},
		{
			name: "message-complexity", meaning: "The number of messages sent, as a function of the number of processes.",
			properties: []string{"messages-at-most"},
			commands: []string{
				"etrace stats --by type", "etrace stats --budget 'messages <= n*n'",
				"etrace sweep bully --nodes 3..8 --start lowest --fit-formula",
			},
			pages: []string{"complexity", "laws"},
		},
		{
			name: "operation", meaning: "The unit of etrace stats --per: messages per election, per entry, per request.",
			aliases: []string{"per"},
			details: "--by divides the messages by " + complexity.GroupingWords() +
				".\n--per counts the messages of each operation. An operation is one of\n" + complexity.OperationWords + "\n" +
				`If an operation is a moment, such as return, it has the messages since the previous moment; the messages
before the first moment are the warm-up. If it is a fluent or an election, it has the messages that it
caused: a message belongs to the operation that caused the step of the send. Messages of no operation are
counted separately.`,
			commands: []string{"etrace stats --per election --format markdown", "etrace stats --per 'fluent leading(p) while leads(p)'"},
			pages:    []string{"complexity", "language"},
		},
		{
			name: "own-rule", meaning: "A property of your own: a rule (-e, --spec), or Go code in your own module.",
			aliases: []string{"own-property", "module", "plugin"},
			details: "Rules are checked beside the built-in properties, in one report. With --only, the report has the named " +
				"properties alone. A\nGo module adds properties by cli.Properties: fixtures/outside is an example.",
			commands: []string{"etrace check -e 'at most 3*n - 1 send per run'", "etrace list constructs", "etrace check --spec rules.txt"},
			pages:    []string{"language", "extending"},
		},
		{
			name: "partial-recording", meaning: "A log that lacks events. --complete declares the kinds of events that it has completely.",
			aliases: []string{"completeness", "no-crash", "unrecorded"},
			details: `--complete crash means that all crashes are in the log; if it has none, no process crashed.
etrace explain complete lists all forms of the declaration.`,
			commands: []string{
				"etrace check node*.log --complete crash,halt,recover", "etrace explain --needs single-leader",
				"etrace check --explain",
			},
			pages: []string{"partial"},
		},
		{
			name: "partition", meaning: "The network splits into parts; messages between the parts are lost or wait.",
			aliases:    []string{"cap"},
			properties: []string{"single-leader", "unique-leader-per-term", "leader-has-quorum"},
			commands:   []string{"etrace record raft --nodes 5 --partition '1,2|3,4,5@20-60'"},
			pages:      []string{"scenarios"},
		},
		{
			name: "pattern", meaning: "A text that selects events of a run: etrace replay --at and --find, etrace render --from.",
			aliases: []string{"place"},
			details: `  ` + replay.PatternForm + `
KIND is an event kind or * for any; NAME is a type of messages, timers, operations or notes, or,
after state, a variable.
  crash                  any crash
  receive COORDINATOR@3  3 receives COORDINATOR
  send ELECTION to 6     any process sends ELECTION to 6
  state elected=6        any process elects 6
  * @3                   any event of 3`,
			commands: []string{
				"etrace replay --find 'receive COORDINATOR'", "etrace replay --at 'state elected@3' --text",
				"etrace replay --steps 10..20", "etrace replay --watch elected@3",
			},
			pages: []string{"tour"},
		},
		{
			name: "picture", meaning: "Runs are drawn as a sequence, a ring, a graph, a history or an overview.",
			aliases: []string{"axis", "span", "drawing", "chart", "diagram", "hide-processes"},
			details: `A file is named TRACE.DIAGRAM.FORMAT, with the number of the run if there are several.

Axis: a row of a sequence diagram is an instant (simulated runs), a causal level, or a point of linear
time (recordings whose clocks do not contradict a cause). On linear time, long waits are folded, and an
instant with several events takes as much room as these need.
Bars show that a process waits for a lock, holds a lock, or is active. --span draws bars for any fluent of
the language of rules, such as 'fluent leading(p) while leads(p)'.
--fit first reduces distances. If that is not enough, it folds repetitions, merges hops of a ring that only
forward a message, draws several pages (NAME.svg, NAME-2.svg), or draws the ring diagram. A note lists
these steps.
--frames draws a frame for each of several moments; a frame shows the run up to its moment. All frames have
the same size and layout; with --fit, each page has its own frames. A phase begins with the first message
of a type, a crash, a recovery, a partition or a new leader.
History: a bar for each operation, with a mark at the moment at which the operation takes effect. --axis
time draws the bars to scale. If no order explains the result of an operation, the operation has a ring
around it, and its key is red. --fit omits keys without a violation.
Overview: a run of any length, with leaders, faults and violations, and a line for each violated key.
Groups: --group site draws the processes of one site side by side, in sequence, overview and page.
Graph: each edge has the number of messages at both ends. Arrows show the variables parent, father, holder
and next; a member of a quorum points to the process that locked it. --to chooses the moment.
HTML: a page with controls to step, zoom and hide. It first hides the events that --process, --type and
--hide exclude.
PNG: two pixels for each point, at most 64 million pixels. The font of PNG and PDF has Latin, Greek and
Cyrillic letters; convert an SVG for other letters: rsvg-convert -o FILE.png FILE.svg.`,
			commands: []string{
				"etrace render --format svg", "etrace render --diagram ring", "etrace render --format html",
				"etrace render --axis causal -o causal.svg",
				"etrace render --span 'fluent leading(p) while leads(p)' -o leading.svg", "etrace list pictures",
			},
			pages: []string{"tour", "problems"},
		},
		{
			name: "quorum", meaning: "A set of processes that may decide together, usually a majority. Any two quorums intersect.",
			aliases:    []string{"majority"},
			properties: []string{"leader-has-quorum"},
			commands:   []string{"etrace check --only leader-has-quorum"},
			pages:      []string{"language", "vocabulary"},
		},
		{
			name: "race", meaning: "Two events whose order causality does not determine.",
			properties: []string{"single-leader-possibly", "mutual-exclusion-possibly"},
			commands:   []string{"etrace check --only mutual-exclusion-possibly", "etrace record bully --ids 1-4 --down 4 --start 1 --all-orders"},
			pages:      []string{"tour", "language"},
		},
		{
			name: "repair", meaning: "New runs without contradictions: etrace lint --repair.",
			details: `The repair adds no facts, and does not choose between two events that contradict each other. An event that
cannot be true becomes a note with its text. Where an event is missing, the header declares less (some,
or a gap). Order and clocks are computed again. check prints "on repaired data", and its verdicts hold
for every run that the log may record. etrace explain RULE describes the repair of a finding.`,
			commands: []string{"etrace lint --repair", "etrace check trace.repaired.db"},
			pages:    []string{"partial"},
		},
		{
			name: "shards", meaning: "Parts of a check, sweep or suite that run on different machines.",
			aliases: []string{"shard", "cluster", "spark", "parallel"},
			details: `If there are several runs, each run belongs to one shard. A single large run is divided by the key of its
rules, such as the message: each shard checks the events of some keys. Shard 0 checks the whole run for
the properties that cannot be divided; the plan has the reasons. etrace slice writes the events that
each shard needs. check --shard - reads lines NUMBER<tab>EVENT from stdin, sorted by shard and seq. A
shard exits with 0 or 2, and etrace merge with the status of the whole check. --for writes a job file:
an Indexed Job for kubernetes, a script for parallel, an array for slurm.`,
			commands: []string{
				"etrace plan runs.db --shards 3 > plan.json",
				"etrace check --plan plan.json --shard 0 > found/0.json", "etrace merge --plan plan.json found",
				"etrace plan runs.db --shards 64 -o large-plan.json --for slurm > job.sh",
			},
			pages: []string{"scale"},
		},
		{
			name: "split-brain", meaning: "Two processes are leaders at the same time.",
			properties: []string{"single-leader", "unique-leader-per-term", "single-leader-possibly", "agreement", "leader-has-quorum"},
			commands:   []string{"etrace check --only single-leader,unique-leader-per-term --explain"},
			pages:      []string{"tour", "raft-logs"},
		},
		{
			name: "sql", meaning: "The views that etrace query reads, of a trace and of the results of a sweep.",
			aliases: []string{"query", "views", "sqlite"},
			details: `Of a trace:
  runs(run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, end, events, traits)
  members(run, process, name, position, attributes)
  events(run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload, id, cause_id)
  messages(run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate, sent_id, received_id)
  verdicts(run, property, verdict, witness, explanation, checked_at, tool)
Of results (etrace sweep -o):
  cells(cell, n, at)                    at is a JSON object: at ->> 'algorithm'
  measures(cell, run, measure, value)   times are in nanoseconds; a mean delay is 1e9
  verdicts(cell, run, property, verdict)
Join by id, which is indexed, not by seq. A trace in JSON Lines is imported into a temporary database.
Damage in the runs that a statement reads is reported on stderr.`,
			commands: []string{"etrace query \"select m.message, s.lamport from messages m join events s on s.run = m.run and s.id = m.sent_id\""},
			pages:    []string{"json", "format"},
		},
		{
			name: "stale-read", meaning: "A read returns an old value, although a write that replaced the value returned before the read began.",
			properties: []string{"linearizability"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name: "starvation", meaning: "A process waits forever, while other processes make progress.",
			properties: []string{"no-starvation", "bounded-bypass"},
			commands:   []string{"etrace check --only no-starvation"},
			pages:      []string{"problems", "laws"},
		},
		{
			name: "suite", meaning: "A YAML file of scenarios with expected and published results.",
			aliases: []string{"test-suite"},
			details: `  suite: Worst case
  cases:
    - name: chang-roberts, n = ${n}
      for: {n: 3-32}
      scenario: {algorithm: chang-roberts, nodes: "${n}", start: 1@0}
      expect:
        messages: 3*n-1
        end: quiescent
        leader: ${n}
        elected: {1: "${n}"}
        verdicts: {election-safety: satisfied}
      published: {messages: 3*n-1}
A case with several values (for: {n: 3-32, s: 1-100}) is repeated for each combination. etrace explain measure lists
further measures. A formula may contain the variables of the case, ` + spec.FormulaWords + `, ids(a, b),
and bitreversal(a, b), the same ids in the order of the reversed binary digits of their places. With
--shard I/N, from 0, the command writes a summary for etrace merge.`,
			commands: []string{"etrace suite tables.yaml", "etrace sweep bully --nodes 3..5 --start lowest"},
			pages:    []string{"complexity", "extending"},
		},
		{
			name: "term", meaning: "A numbered period with at most one leader: term in Raft, epoch in Zab, ballot in Paxos, view in PBFT.",
			aliases:    []string{"epoch", "ballot", "view", "zxid"},
			properties: []string{"unique-leader-per-term"},
			commands:   []string{"etrace check --only unique-leader-per-term", "etrace stats --by term"},
			pages:      []string{"raft-logs", "vocabulary"},
		},
		{
			name: "time-complexity", meaning: "The length of a run in message delays: the last delivery, and the longest causal chain.",
			aliases:  []string{"depth", "causal-depth"},
			commands: []string{"etrace stats --path", "etrace sweep chang-roberts --nodes 4..6 --start lowest --measure time,depth"},
			pages:    []string{"complexity"},
		},
		{
			name: "tolerates", meaning: "An algorithm tolerates f faults if its properties hold with at most f faulty processes (f-resilient).",
			aliases: []string{"resilience", "f-resilient", "fault-tolerance"},
			details: `etrace explain ALGORITHM lists the faults that the algorithm tolerates, and the properties that more faults
may violate. record --hunt looks for the fewest faults that violate a property.`,
			commands: []string{"etrace explain bracha", "etrace explain paxos", "etrace list algorithms"},
			pages:    []string{"laws", "failures"},
		},
		{
			name:       "wait-for-graph",
			meaning:    "A graph with an edge from each waiting process to the process for which it waits. A cycle is a deadlock.",
			properties: []string{"no-starvation"},
			commands:   []string{"etrace render --diagram graph"},
			pages:      []string{"problems"},
		},
		{
			name: "what-if", meaning: "A simulated run executed again with one change.",
			aliases: []string{"counterfactual"},
			details: `etrace appends the new run, and compares it with the recorded run. An edit is one of
` + editForms() + `MESSAGE is m12, by its id, or seq40, by the seq of its send. WHEN is seq40, the moment after this event, or
a time: 3.5 or t=3.5.`,
			commands: []string{"etrace replay --what-if 'drop m12'"},
			pages:    []string{"tour"},
		},
		{
			name: "worst-case", meaning: "The best, average and worst case of a measure over all runs of a scenario.",
			aliases: []string{"best-case", "average-case", "mean", "average"},
			details: `A sweep prints mean, min and max. They are exact if a cell has all its runs; otherwise the mean has a
confidence interval. --maximize and --minimize search for the worst and the best schedule.`,
			commands: []string{
				"etrace sweep chang-roberts --nodes 4 --order all --start all",
				"etrace sweep bully --nodes 4,5 --start random --seeds 100",
				"etrace sweep franklin --nodes 3 --start all --maximize messages",
			},
			pages: []string{"complexity", "laws"},
		},
	}
}

// enumeration returns a definition on each line, indented to the second column of the table of the topic grid.
func enumeration(names, docs []string) string {
	return strings.ReplaceAll(definitions(names, docs), "\n  ", "\n"+strings.Repeat(" ", 19))[2:]
}

// definitions returns a line with the name and the definition of each thing.
func definitions(names, docs []string) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "\n  %-16s %s", name, docs[i])
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// editForms returns the forms of the edits of etrace replay --what-if.
func editForms() string {
	var b strings.Builder
	for _, f := range scenario.EditForms {
		fmt.Fprintf(&b, "  %-18s %s\n", f.Form, f.Doc)
	}
	fmt.Fprintf(&b, "  %-18s %s\n", "PARAM=VALUE@WHEN", "a parameter of the algorithm changes")
	return b.String()
}

// ignorable returns the parts of a run that etrace diff --ignore can leave out.
func ignorable() string {
	var names, docs []string
	for _, p := range diff.Parts().All() {
		names, docs = append(names, p.Name), append(docs, p.Doc)
	}
	return definitions(names, docs)
}

// topicEntry returns the entry of a topic: its meaning, details, properties, commands and pages.
func topicEntry(t topic, properties []*analyze.Property) entry {
	var b strings.Builder
	b.WriteString(t.meaning + "\n")
	if t.details != "" {
		b.WriteString("\n" + t.details + "\n")
	}
	if len(t.properties) > 0 {
		b.WriteString("\nProperties:\n")
	}
	for _, p := range properties {
		if slices.Contains(t.properties, p.Name) {
			fmt.Fprintf(&b, "  %-24s %s\n", p.Name, text.FirstSentence(p.Doc))
		}
	}
	if len(t.commands) > 0 {
		b.WriteString("\nCommands:\n")
	}
	for _, c := range t.commands {
		b.WriteString("  " + c + "\n")
	}
	b.WriteString("\nPages:")
	for _, p := range t.pages {
		b.WriteString(" docs/" + p + ".md")
	}
	b.WriteString("\n")
	return entry{Name: t.name, Summary: strings.TrimSuffix(t.meaning, "."), Text: b.String(), Aliases: t.aliases}
}
