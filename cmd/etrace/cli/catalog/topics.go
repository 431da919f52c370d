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

// topic is a word of the field, or a task, with what etrace has for it: `etrace explain deadlock`.
type topic struct {
	name, meaning string
	// aliases are other words that lead to the topic.
	aliases []string
	// details follow the meaning.
	details    string
	properties []string
	commands   []string
	// pages are files of docs, without their folder and ending.
	pages []string
}

// topics returns the words that people look for and that name no single thing of etrace, sorted by name.
func topics() []topic {
	return []topic{
		{
			name: "adversary", meaning: "A search for the schedule and ring order with the greatest or least value of a measure.",
			aliases: []string{"maximize", "minimize"},
			details: `The adversary chooses when messages arrive and, on a ring without --ids or --order, the order of the
processes. No timer expires while a message is in flight. Planned starts and crashes after time 0 may
come at any moment, in their order; published bounds are not compared then.
A result is proven if all orders and schedules were searched, or the schedule cannot matter; otherwise
it is the most extreme value found, and the exit status is 3, unless --allow-open. --max-runs limits
the search; the table has the number of runs that would suffice. Interrupted, it keeps its best results.`,
			commands: []string{
				"etrace sweep franklin --nodes 2..3 --start all --maximize messages --save worst.db",
				"etrace sweep bully --nodes 3 --start lowest --minimize messages",
			},
			pages: []string{"complexity"},
		},
		{
			name: "all-orders", meaning: "A check of every schedule of a scenario (model checking).",
			aliases: []string{"model-checking", "exhaustive", "interleavings"},
			details: `Messages take any time. A timer expires only if no message is in flight, the earliest first. Planned
events after time 0 come at any moment, in their order. A run is recorded for each worst verdict.
Exit status 1 for a violation, 3 if something stayed open or --max-runs was reached.`,
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
			aliases:  []string{"bits", "bytes"},
			details:  "Bytes are those of the recorded payloads. Bits follow the message declarations of an algorithm: " + sim.WidthWords + ".",
			commands: []string{"etrace stats", "etrace sweep chang-roberts --nodes 4..6 --start lowest --measure bits,bytes"},
			pages:    []string{"complexity"},
		},
		{
			name: "budget", meaning: "A condition on the counts of a run: etrace stats --budget, and the property messages-at-most.",
			aliases:    []string{"expression"},
			details:    "Names and operators: " + complexity.BudgetWords + ".",
			properties: []string{"messages-at-most"},
			commands:   []string{"etrace stats --budget 'messages <= 3*n-1'"},
			pages:      []string{"complexity"},
		},
		{
			name:       "byzantine",
			meaning:    "A process that lies: it sends what the algorithm does not allow, or different things to different processes.",
			aliases:    []string{"liar", "arbitrary-fault"},
			properties: []string{"broadcast-agreement", "broadcast-no-creation", "consensus-agreement"},
			commands:   []string{"etrace record bracha", "etrace explain silence", "etrace explain lie", "etrace explain forge"},
			pages:      []string{"scenarios"},
		},
		{
			name: "candidate", meaning: "A process that asks for votes; a follower accepts a leader. Raft records both as state.role.",
			aliases:    []string{"follower", "role", "split-vote"},
			properties: []string{"unique-leader-per-term"},
			commands:   []string{"etrace check --only unique-leader-per-term", "etrace explain --needs unique-leader-per-term"},
			pages:      []string{"raft-logs", "vocabulary"},
		},
		{
			name: "ci", meaning: "A job that checks recorded runs or logs at each change, and fails where a property is violated.",
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
			details: `Each process of the run is compared with the algorithm under the same inputs. any ranks all
algorithms. Unrecorded events (--complete) may have happened: timeouts, local steps, crashes
and receipts are inferred where they explain the recorded events. A run differs only if no such
completion explains it. --max-steps bounds the search; if the bound is reached, or no message
is in common, the exit status is 3. --alias FILE maps names: 'RequestVote: MsgVote'.`,
			commands: []string{"etrace replay --as raft trace.db"},
			pages:    []string{"raft-logs", "tour"},
		},
		{
			name: "consistent-cut", meaning: "A set of events that contains, with each event, all that happened before it. A snapshot records one.",
			aliases: []string{"cut", "snapshot-state", "global-state"},
			details: `etrace render draws the cut of a run of a snapshot as a line across the lifelines; --cut draws
another one, after the named events or after the first event of each process that matches a
pattern. A message sent inside and received outside the cut is in its channel: a pale band. A
message received inside and sent outside makes the cut inconsistent: its band has edges.`,
			properties: []string{"snapshot-consistent"},
			commands:   []string{"etrace record chandy-lamport -o snapshot.db", "etrace render --cut 6,9 -o cut.svg"},
			pages:      []string{"problems", "tour"},
		},
		{
			name: "counterexample", meaning: "The events that show a violation; reports call them the witness.",
			aliases: []string{"witness"},
			commands: []string{
				"etrace check --explain",
				"etrace record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader",
				"etrace render --witness single-leader",
			},
			pages: []string{"tour", "json"},
		},
		{
			name: "deadlock", meaning: "A set of processes in which each waits for another one of the set.",
			properties: []string{"no-starvation", "election-liveness", "consensus-termination", "commit-termination"},
			commands:   []string{"etrace check --only no-starvation", "etrace render --diagram graph"},
			pages:      []string{"problems"},
		},
		{
			name: "diff-parts", meaning: "What etrace diff compares, and what --ignore leaves out.",
			aliases: []string{"diff", "ignore"},
			details: "Texts of logs count, unless only one run has any. Descriptions of runs, message ids, logical " +
				"clocks and line\nnumbers never count.\n" + ignorable(),
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
			name: "exec", meaning: "Programs as nodes n1, n2, ... that speak Maelstrom's protocol: lines of JSON over stdin and stdout.",
			aliases: []string{"maelstrom-node", "program", "stdio"},
			details: `--exec runs the command once for each node, split into words as by a shell, and a client for each node.
The network and its faults are those of the flags, with 3 for n3 and 1s for a unit: --crash is
kill -9, --recover starts the node again. A message takes 5 to 15 ms unless --delay is given. A run
ends at --until (default 10s). With --lockstep one message at a time is delivered, in virtual time.`,
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
2  etrace could not do its work; one line on stderr names file and place
3  no violation, but something that had to be decided stayed open (pending or unknown):
   - what was named: --only, a rule, a file of rules; each must apply to a run of each trace
   - anything in a complete recording, such as a simulated run; with --strict, in any recording
   - what the recording could decide but for a gap, a member without a log, or a bound
   - a trace without an examined property: all verdicts vacuous or not applicable
--allow-open makes 3 a 0, except where nothing was examined. A damaged run makes 2, unless a
property is violated; with --salvage it counts as open.`,
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
			name: "fault-injection", meaning: "Crashes, lost, late and doubled messages, and partitions, put into a simulated run.",
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
			details: `Exact formulas come first: sums of powers of n, floor(log2(n)), n % 2, H(n) and the like that hold at
every size. They need three more sizes than terms (lower powers and the constant count), and two
more than twice the terms if a term is no power. Otherwise shapes such as n*log2(n) are fitted to six or more
sizes up to 64, and predict the larger ones. A shape is rejected if it is over 5 % or more than
chance off at a measured size, if it is negative, or if it falls where the values rise.
--split adds the id of the starting process as a second variable. --formula compares your formula
at each size: exit status 1 if it is wrong, within three standard errors for samples; 3 if open.`,
			commands: []string{
				"etrace sweep bully --nodes 3..9 --start each --split --measure messages --fit-formula",
				"etrace sweep chang-roberts --nodes 2..5 --order all --start all --measure type.election --formula 'n*H(n)'",
				"etrace sweep chang-roberts --nodes 4,5,6 --order random --start all --fit-formula --plot mean.svg --report report.html",
			},
			pages: []string{"complexity"},
		},
		{
			name: "flaky", meaning: "A test whose result depends on the schedule. A simulated run depends on its scenario and seed only.",
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
Each property is named on stderr when it is first violated. The report comes at the end of the stream,
at Ctrl-C, or with --fail-fast at the first violation. It counts: later lines may explain a violation,
and properties such as linearizability are decided at the end. A log without --map is examined after
the first lines, which show its format.`,
			pages: []string{"ci"},
		},
		{
			name: "go", meaning: "A Go program records its runs by package etrace/record, one method for each kind of event.",
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
Orders permute the ids. Ranks count all processes; each, all and random choose live ones.

A cell without random choices is exhausted: all its runs are made, and its mean is exact, a fraction.
Any other cell is a sample of K runs (--seeds) for each order and process, each with its own seed
(from --seed on). Its mean has a 95 % confidence interval; min and max are measured values.

-o FILE keeps results; the same command continues after an interruption. --shard I/N makes part I of
N, from 0, and etrace merge prints the table of all parts. Interrupted without -o, a sweep prints the
finished runs, names incomplete cells, and exits with 3. --rank compares means at each n, samples by
their confidence intervals. The column published names the run nearest to each published bound.`,
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
			details: `Faults are added to the scenario, few before many: slow messages, crashes, recoveries, starts, and what
--hunt-faults names. The smallest violating run is recorded, and its flags are printed. The seed
decides the order of the search. Exit status 1 if a violation was found.`,
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
			name: "lease", meaning: "A right that expires at a time. Two processes may hold it at once if their clocks differ.",
			properties: []string{"single-leader", "single-leader-possibly", "mutual-exclusion"},
			commands:   []string{"etrace check --only single-leader,single-leader-possibly"},
			pages:      []string{"tour", "language"},
		},
		{
			name: "linearizable", meaning: "Operations appear to take effect one at a time, in an order that agrees with real time.",
			properties: []string{"linearizability"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name:       "livelock",
			meaning:    "Processes take steps forever without progress. A repeated global state proves it (lasso); a bounded log cannot.",
			aliases:    []string{"lasso", "non-terminating", "non-termination"},
			properties: []string{"election-liveness", "no-starvation", "consensus-termination"},
			commands: []string{
				"etrace record chang-roberts --ids 0-5 --down 5 --start 2 --crash 4@5",
				"etrace render --witness election-liveness",
			},
			pages: []string{"tour", "failures"},
		},
		{
			name: "log", meaning: "The log of a program is read as it is; a mapping corrects the guess of its lines.",
			aliases: []string{"logs"},
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
			name: "lost-update", meaning: "An operation that was answered has no effect on those after it.",
			properties: []string{"linearizability", "no-loss", "raft-leader-completeness"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name: "measure", meaning: "What a sweep or a suite can measure of a run.",
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
				".\n--per counts by operation: an operation is " + complexity.OperationWords + ".\n" +
				`For moments, such as return, the messages between two of them count; those before the first are the
warm-up. For fluents and elections, the messages that they caused count: a message belongs to the
operation that caused the step that sent it. Messages of no operation are counted beside the mean.`,
			commands: []string{"etrace stats --per election --format markdown", "etrace stats --per 'fluent leading(p) while leads(p)'"},
			pages:    []string{"complexity", "language"},
		},
		{
			name: "own-rule", meaning: "A property of your own: a rule (-e, --spec), or Go code in your own module.",
			aliases: []string{"own-property", "module", "plugin"},
			details: "Rules are checked beside the built-in properties, in one report. --only leaves the others out. A " +
				"Go module adds properties by cli.Properties: fixtures/outside is an example.",
			commands: []string{"etrace check -e 'at most 3*n - 1 send per run'", "etrace list constructs", "etrace check --spec rules.txt"},
			pages:    []string{"language", "extending"},
		},
		{
			name: "partial-recording", meaning: "A log that lacks events. --complete declares the kinds that it lists completely.",
			aliases: []string{"completeness", "no-crash", "unrecorded"},
			details: `--complete crash means that all crashes are in the log; if it has none, no process crashed.
etrace explain complete has the whole form.`,
			commands: []string{
				"etrace check node*.log --complete crash,halt,recover", "etrace explain --needs single-leader",
				"etrace check --explain",
			},
			pages: []string{"partial"},
		},
		{
			name: "partition", meaning: "The network splits: messages between its sides are lost or wait.",
			aliases:    []string{"cap"},
			properties: []string{"single-leader", "unique-leader-per-term", "leader-has-quorum"},
			commands:   []string{"etrace record raft --nodes 5 --partition '1,2|3,4,5@20-60'"},
			pages:      []string{"scenarios"},
		},
		{
			name: "pattern", meaning: "Finds events in a run: etrace replay --at, --find, and --from of render.",
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
			aliases: []string{"axis", "span", "drawing", "diagram", "hide-processes"},
			details: `A file is named TRACE.DIAGRAM.FORMAT, with the number of the run if there are several.

Axis: a row of a sequence is an instant (simulated runs), a causal level, or a point of linear
time (recorded clocks that contradict no cause); long waits are folded.
Bars: waiting for and holding a lock, or being active; --span draws another fluent of the language
of rules, such as 'fluent leading(p) while leads(p)'.
--fit first draws closer. Then it folds repetitions, merges ring hops that only pass a message on, takes
several pages (NAME.svg, NAME-2.svg), or the ring diagram. A note lists what it did.
--frames draws the run up to one moment after the other, all frames of one size and layout; with --fit page
by page. A phase begins with the first message of a type, a crash, a recovery, a partition or a leader.
History: a bar for each operation, with a mark where it takes effect; with --axis time to scale. Operations
whose results no order explains are ringed, and their keys red. --fit leaves out keys without a violation.
Overview: a run of any length, with leaders, faults and violations, a line for each violated key.
Groups: --group site puts the processes of one site side by side, in sequence, overview and page.
Graph: counts at both ends of each edge; the variables parent, father, holder and next are arrows;
a quorum member points to the process that locked it. --to chooses the moment.
HTML: a page that steps, zooms and hides. What --process, --type and --hide leave out is hidden at first.
PNG: two pixels a point, at most 64 million; its font has Latin, Greek and Cyrillic letters. Convert
an SVG for others: rsvg-convert -o FILE.png FILE.svg.`,
			commands: []string{
				"etrace render --format svg", "etrace render --diagram ring", "etrace render --format html",
				"etrace render --axis causal -o causal.svg",
				"etrace render --span 'fluent leading(p) while leads(p)' -o leading.svg", "etrace list pictures",
			},
			pages: []string{"tour", "problems"},
		},
		{
			name: "quorum", meaning: "A set of processes that suffices to decide; any two quorums intersect. Mostly a majority.",
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
			details: `Nothing is invented, and no side is taken. An event that cannot be true becomes a note that says what
it was; the header declares less (some, a gap) where something is missing; order and clocks are
computed anew. check says "on repaired data", and its verdicts hold of any run that the log may
record. etrace explain RULE has the repair of a finding.`,
			commands: []string{"etrace lint --repair", "etrace check trace.repaired.db"},
			pages:    []string{"partial"},
		},
		{
			name: "shards", meaning: "Parts of a check, sweep or suite that run on different machines.",
			aliases: []string{"shard", "cluster", "spark", "parallel"},
			details: `Of several runs each belongs to one shard. Of one large run, rules are split by the key that their
events share, such as the message; shard 0 checks the rest on the whole run, and the plan has the reason.
etrace slice writes the events that each shard needs; check --shard - reads lines NUMBER<tab>EVENT,
sorted by shard and seq, from stdin. A shard exits with 0 or 2; etrace merge has the exit status.
--for writes a job file: kubernetes an Indexed Job, parallel a script, slurm an array.`,
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
			name: "sql", meaning: "The views of a trace and of results of a sweep, for etrace query.",
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
			name: "stale-read", meaning: "A read that returns a value which a later write, already answered, had replaced.",
			properties: []string{"linearizability"},
			commands:   []string{"etrace check --only linearizability --explain"},
			pages:      []string{"scenarios", "vocabulary"},
		},
		{
			name: "starvation", meaning: "A process waits forever while others go on.",
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
A case with several values (for: {n: 3-32, s: 1-100}) is many cases. Further measures: etrace explain
measure. Formulas have the variables of the case, ` + spec.FormulaWords + `, ids(a, b),
and bitreversal(a, b), the same ids ordered by the reversed binary digits of their places. A shard
(--shard I/N, from 0) writes a summary for etrace merge.`,
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
			details: `etrace explain ALGORITHM lists the faults that it tolerates, and what may break with more. record --hunt
looks for the fewest faults that violate a property.`,
			commands: []string{"etrace explain bracha", "etrace explain paxos", "etrace list algorithms"},
			pages:    []string{"laws", "failures"},
		},
		{
			name: "wait-for-graph", meaning: "An edge from each waiting process to the process it waits for; a cycle is a deadlock.",
			properties: []string{"no-starvation"},
			commands:   []string{"etrace render --diagram graph"},
			pages:      []string{"problems"},
		},
		{
			name: "what-if", meaning: "A simulated run executed again with one change.",
			aliases: []string{"counterfactual"},
			details: `The new run is appended, and compared with the recorded one. An edit is one of
` + editForms() + `MESSAGE is m12 by its id, or seq40 by the seq of its send. WHEN is seq40, just after that event, or a
time: 3.5 or t=3.5.`,
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

// enumeration lists names with their definitions, one a line, in the second column of the grid's table.
func enumeration(names, docs []string) string {
	return strings.ReplaceAll(definitions(names, docs), "\n  ", "\n"+strings.Repeat(" ", 19))[2:]
}

// definitions lists names with their definitions, one a line.
func definitions(names, docs []string) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "\n  %-16s %s", name, docs[i])
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// editForms lists the edits of etrace replay --what-if.
func editForms() string {
	var b strings.Builder
	for _, f := range scenario.EditForms {
		fmt.Fprintf(&b, "  %-18s %s\n", f.Form, f.Doc)
	}
	fmt.Fprintf(&b, "  %-18s %s\n", "PARAM=VALUE@WHEN", "a parameter of the algorithm changes")
	return b.String()
}

// ignorable lists the parts of a run that a comparison may leave out.
func ignorable() string {
	var names, docs []string
	for _, p := range diff.Parts().All() {
		names, docs = append(names, p.Name), append(docs, p.Doc)
	}
	return definitions(names, docs)
}

// topicEntry explains a topic by what etrace has for it.
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
