package catalog

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

// topic is a word of the field, or a task, with what etrace has for it: `etrace explain deadlock`.
type topic struct {
	name, meaning string
	properties    []string
	commands      []string
	// pages are files of docs, without their folder and ending.
	pages []string
}

// topics has the words that people look for and that name no single thing of etrace, by name.
var topics = [...]topic{
	{
		"byzantine", "A process that lies: it sends what the algorithm does not allow, or different things to different processes.",
		[]string{"broadcast-agreement", "broadcast-no-creation", "consensus-agreement"},
		[]string{"etrace record bracha", "etrace explain silence", "etrace explain lie", "etrace explain forge"},
		[]string{"scenarios"},
	},
	{
		"ci", "A job that checks recorded runs or logs at each change, and fails where a property is violated.",
		nil,
		[]string{"etrace check node*.log --format junit > etrace.xml", "etrace check node*.log --format github", "etrace diff before.db after.jsonl"},
		[]string{"ci"},
	},
	{
		"conformance", "Whether a recorded run is one that a given algorithm can make.",
		nil,
		[]string{"etrace replay --as raft trace.db"},
		[]string{"raft-logs", "tour"},
	},
	{
		"counterexample", "The events that show a violation: etrace calls them the witness.",
		nil,
		[]string{"etrace check --explain", "etrace record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader", "etrace render --witness single-leader"},
		[]string{"tour"},
	},
	{
		"deadlock", "Some processes wait for each other, so that none of them goes on.",
		[]string{"no-starvation", "election-liveness", "consensus-termination", "commit-termination"},
		[]string{"etrace check --only no-starvation", "etrace render --diagram graph"},
		[]string{"problems"},
	},
	{
		"failure-detector", "What tells a process that another one has crashed; events suspect and trust.",
		[]string{"commit-abort-cause"},
		[]string{"etrace explain suspect", "etrace check -e 'each s: suspect was preceded by crash(process = s.peer)'"},
		[]string{"language", "vocabulary"},
	},
	{
		"fairness", "No process is passed over forever, or more often than a bound.",
		[]string{"no-starvation", "bounded-bypass", "request-order-fairness"},
		[]string{"etrace check --only 'no-starvation,bounded-bypass(3)'"},
		[]string{"laws"},
	},
	{
		"fault-injection", "Crashes, lost, late and doubled messages, and partitions, put into a simulated run.",
		nil,
		[]string{"etrace record --crash 6@2.5", "etrace record bully --hunt single-leader", "etrace list faults"},
		[]string{"scenarios", "failures"},
	},
	{
		"go", "A Go program records its runs by package etrace/record, one method for each kind of event.",
		nil,
		[]string{"etrace explain jsonl", "etrace check trace.db"},
		[]string{"record", "format"},
	},
	{
		"happens-before", "The order that messages impose: an event can only have an effect on those that it happens before.",
		[]string{"causal-delivery", "broadcast-causal-order", "lamport-clocks", "vector-clocks"},
		[]string{"etrace check --only single-leader-possibly", "etrace render --cut send", "etrace query 'SELECT seq, process, kind, lamport FROM events'"},
		[]string{"language", "tour"},
	},
	{
		"lease", "A right that ends at a time, and may be held twice where clocks differ.",
		[]string{"single-leader", "single-leader-possibly", "mutual-exclusion"},
		[]string{"etrace check --only single-leader,single-leader-possibly"},
		[]string{"tour", "language"},
	},
	{
		"livelock", "Processes go on taking steps and never reach what is owed; of a simulated run a repeated state proves it.",
		[]string{"election-liveness", "no-starvation", "consensus-termination"},
		[]string{"etrace record chang-roberts --ids 0-5 --down 5 --start 2 --crash 4@5", "etrace render --witness election-liveness"},
		[]string{"tour", "failures"},
	},
	{
		"log", "The log of a program is read as it is; a mapping says what the lines mean where the guess is wrong.",
		nil,
		[]string{"etrace check node*.log", "etrace import node*.log --suggest > log.yaml", "etrace import node*.log --map log.yaml -o logs.db"},
		[]string{"mappings", "raft-logs", "partial"},
	},
	{
		"lost-update", "An operation that was answered has no effect on those after it.",
		[]string{"linearizability", "no-loss", "raft-leader-completeness"},
		[]string{"etrace check --only linearizability --explain"},
		[]string{"scenarios", "vocabulary"},
	},
	{
		"partition", "The network splits: messages between its sides are lost or wait.",
		[]string{"single-leader", "unique-leader-per-term", "leader-has-quorum"},
		[]string{"etrace record raft --nodes 5 --partition '1,2|3,4,5@20-60'"},
		[]string{"scenarios"},
	},
	{
		"picture", "Runs are drawn as a sequence, a ring or a graph.",
		nil,
		[]string{"etrace render --format svg", "etrace render --diagram ring", "etrace render --format html", "etrace list pictures"},
		[]string{"tour", "problems"},
	},
	{
		"quorum", "As many processes as suffice to decide, mostly more than half.",
		[]string{"leader-has-quorum"},
		[]string{"etrace check --only leader-has-quorum"},
		[]string{"language", "vocabulary"},
	},
	{
		"race", "Two events whose order causality leaves open.",
		[]string{"single-leader-possibly", "mutual-exclusion-possibly"},
		[]string{"etrace check --only mutual-exclusion-possibly", "etrace record bully --ids 1-4 --down 4 --start 1 --all-orders"},
		[]string{"tour", "language"},
	},
	{
		"split-brain", "Two processes lead at one time, each for a part of the others.",
		[]string{"single-leader", "unique-leader-per-term", "single-leader-possibly", "agreement", "leader-has-quorum"},
		[]string{"etrace check --only single-leader,unique-leader-per-term --explain"},
		[]string{"tour", "raft-logs"},
	},
	{
		"stale-read", "A read that returns a value which a later write, already answered, had replaced.",
		[]string{"linearizability"},
		[]string{"etrace check --only linearizability --explain"},
		[]string{"scenarios", "vocabulary"},
	},
	{
		"starvation", "A process waits forever while others go on.",
		[]string{"no-starvation", "bounded-bypass"},
		[]string{"etrace check --only no-starvation"},
		[]string{"problems", "laws"},
	},
	{
		"wait-for-graph", "Who waits for whom; a cycle in it is a deadlock.",
		[]string{"no-starvation"},
		[]string{"etrace render --diagram graph"},
		[]string{"problems"},
	},
}

// topicEntry explains a topic by what etrace has for it.
func topicEntry(t topic, properties []*analyze.Property) entry {
	var b strings.Builder
	b.WriteString(t.meaning + "\n")
	if len(t.properties) > 0 {
		b.WriteString("\nProperties:\n")
	}
	for _, p := range properties {
		if slices.Contains(t.properties, p.Name) {
			fmt.Fprintf(&b, "  %-24s %s\n", p.Name, text.FirstSentence(p.Doc))
		}
	}
	b.WriteString("\nCommands:\n")
	for _, c := range t.commands {
		b.WriteString("  " + c + "\n")
	}
	b.WriteString("\nPages:")
	for _, p := range t.pages {
		b.WriteString(" docs/" + p + ".md")
	}
	b.WriteString("\n")
	return entryOf(t.name, strings.TrimSuffix(t.meaning, "."), b.String())
}
