package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Key is one setting of a scenario: a flag of the command line and a key of a scenario file, with the same
// values.
type Key struct {
	Name string
	// Arg is the placeholder of the value in help texts.
	Arg string
	Doc string
	// More describes the affected processes and related keys, Example is a value; "" for keys whose Doc
	// suffices.
	More, Example string
	// Repeat permits several flags on the command line, and a list in a file.
	Repeat bool
	// Switch makes the value optional on the command line; the default value is true.
	Switch bool
	// Network is true for keys of the network and its faults, which also apply to programs that are no algorithm of
	// etrace.
	Network bool
	// Set reads one value into the scenario.
	Set func(s *Scenario, text string) error
	// get returns the values to write, none for the default. It is nil for a key that abbreviates another key, which
	// writes the value.
	get func(s *Scenario) []string
}

// Keys is the table of all keys, in the order in which they are written.
var Keys = []Key{
	{
		Name: "name", Network: true, Arg: "TEXT", Doc: "a name for the run",
		Set: func(s *Scenario, text string) error { s.Name = text; return nil },
		get: func(s *Scenario) []string { return listOfText(s.Name) },
	},
	{
		Name: "algorithm", Arg: "NAME", Doc: "the algorithm; etrace list algorithms",
		Set: func(s *Scenario, text string) error { s.Algorithm = text; return nil },
		get: func(s *Scenario) []string { return listOfText(s.Algorithm) },
	},
	{
		Name: "nodes", Network: true, Arg: "N", Doc: "processes 1 to N",
		Set: func(s *Scenario, text string) (err error) {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > maxProcesses {
				return fmt.Errorf("%q: expected a number of processes from 1 to %d", text, maxProcesses)
			}
			return s.setIDs("1-" + text)
		},
	},
	{
		Name: "ids", Arg: "IDS", Doc: "process ids in ring order: 0-7, 33,17,4, shuffle(0-7)",
		More: "32-1 is the ring 32, 31, ..., 1. shuffle(8) are the processes 1 to 8 in an order that the seed " +
			"decides, shuffle(0-7) are the processes 0 to 7. Each run of --runs K has its own order.",
		Example: "shuffle(0-7)",
		Set:     (*Scenario).setIDs,
		get:     (*Scenario).formatIDs,
	},
	{
		Name: "attribute", Arg: "NAME=V,...", Doc: "a number for each process, such as its load", Repeat: true,
		More: "The values are in the order of the ids. A process and a colon before each value name its process, " +
			"in any order: load=1:3,2:9,3:1,4:4. The attributes are recorded with the members of the run. An election " +
			"compares an attribute only if --best names it.",
		Example: "load=1:3,2:9,3:1,4:4",
		Set: func(s *Scenario, text string) error {
			a, err := parseAttribute(text)
			s.Attributes = append(s.Attributes, a)
			return err
		},
		get: func(s *Scenario) []string { return texts(s.Attributes) },
	},
	{
		Name: "best", Arg: "greatest:NAME|least:NAME|id", Doc: "the rank of processes (default: the greatest id)",
		More: "The election elects the process with the greatest or the least value of an attribute. Every election " +
			"that compares ids then compares (attribute, id). A process that knows an id also knows the attribute of this " +
			"process, and each message has the attributes of the processes that it names. Equal values are refused, unless " +
			"attribute-ties is id.",
		Example: "least:load",
		Set:     func(s *Scenario, text string) (err error) { s.Best, err = parseBest(text); return err },
		get: func(s *Scenario) []string {
			if s.Best == (Best{}) {
				return nil
			}
			return []string{s.Best.String()}
		},
	},
	{
		Name: "attribute-ties", Arg: "id|refuse", Doc: "equal attributes: the greater id wins, or refuse (default)",
		More:    "id: if two processes have the same value of the attribute, the greater id is better. refuse: such a scenario is an error.",
		Example: "id",
		Set: func(s *Scenario, text string) error {
			if text != "id" && text != "refuse" {
				return fmt.Errorf("%q: expected id or refuse", text)
			}
			s.TiesByID = text == "id"
			return nil
		},
		get: func(s *Scenario) []string { return textIf(s.TiesByID, "id") },
	},
	{
		Name: "anonymous", Doc: "processes have no ids", Switch: true,
		More: "An algorithm that needs an id is refused. The ids are only names in the record. A process knows the " +
			"number of processes, and sends to its neighbours. It knows neither its own id nor the sender of a " +
			"message. itai-rodeh is an election that needs no ids.",
		Example: "on",
		Set:     func(s *Scenario, text string) error { return setSwitch(&s.Anonymous, text, true) },
		get:     func(s *Scenario) []string { return textIf(s.Anonymous, "on") },
	},
	{
		Name: "topology", Arg: "SHAPE", Doc: "the graph: ring, star, ... (default complete)",
		More:    topologyMore(),
		Example: "ring",
		Set:     func(s *Scenario, text string) (err error) { s.Topology, err = parseTopology(text); return err },
		get: func(s *Scenario) []string {
			if s.Topology.Complete() {
				return nil
			}
			return []string{s.Topology.String()}
		},
	},
	{
		Name: "edges", Arg: "P-Q,...", Doc: "pairs of neighbours, instead of a topology", Repeat: true,
		More: "An edge has both directions. Processes send to their neighbours only. If an algorithm needs the complete " +
			"graph or a ring (etrace explain ALGORITHM), and a pair is missing, the scenario is refused.",
		Example: "1-2,2-3,3-1",
		Set:     func(s *Scenario, text string) error { return appendEdges(&s.Edges, text) },
		get:     func(s *Scenario) []string { return listOfText(FormatEdges(s.Edges)) },
	},
	{
		Name: "down", Arg: "P,...", Doc: "crashed from the start", Repeat: true,
		Set: func(s *Scenario, text string) error { return appendIDs(&s.Down, text) },
		get: func(s *Scenario) []string { return listOfText(FormatIDs(s.Down)) },
	},
	{
		Name: "coordinator", Arg: "P", Doc: "every live process knows P as the leader",
		Set: func(s *Scenario, text string) error {
			id, err := parseID(text)
			s.Coordinator = &id
			return err
		},
		get: func(s *Scenario) []string {
			if s.Coordinator == nil {
				return nil
			}
			return []string{idOrStar(s.Coordinator)}
		},
	},
	{
		Name: "start", Arg: "P[@T],...|all", Doc: "P starts at T (default 0), such as an election", Repeat: true,
		More:    "In an election, P notices that the coordinator is gone.",
		Example: "4@2.5",
		Set:     func(s *Scenario, text string) error { return appendAt(&s.Start, text, true) },
		get:     func(s *Scenario) []string { return texts(s.Start) },
	},
	{
		Name: "op", Arg: "NAME(ARGS):P[@T]", Doc: "client P invokes an operation at T (default 0)", Repeat: true,
		More: "Only algorithms that declare operations have this key (etrace explain ALGORITHM). The arguments are JSON " +
			"values in the order of the declaration; a text may lack its quotes. A client has one open operation at a time: " +
			"the next operation waits for the return.",
		Example: "write(5):3@2.5",
		Set: func(s *Scenario, text string) error {
			o, err := parseOperation(text)
			s.Operations = append(s.Operations, o)
			return err
		},
		get: func(s *Scenario) []string { return texts(s.Operations) },
	},
	{
		Name: "crash", Network: true, Arg: "P@T", Doc: "P crashes at T", Repeat: true,
		Set: func(s *Scenario, text string) error { return appendAt(&s.Crash, text, false) },
		get: func(s *Scenario) []string { return texts(s.Crash) },
	},
	{
		Name: "recover", Network: true, Arg: "P@T", Doc: "P recovers at T without its volatile state", Repeat: true,
		Set: func(s *Scenario, text string) error { return appendAt(&s.Recover, text, false) },
		get: func(s *Scenario) []string { return texts(s.Recover) },
	},
	{
		Name: "delay", Network: true, Arg: "D", Doc: "message delay: 1, uniform(0.5,1.5) or exponential(1)",
		Set: func(s *Scenario, text string) (err error) { s.Delay, err = parseDelay(text); return err },
		get: func(s *Scenario) []string {
			if s.Delay.Delay == (network.Delay{}) {
				return nil
			}
			return []string{s.Delay.String()}
		},
	},
	{
		Name: "drop", Network: true, Arg: "TYPE:P>Q[#k]", Doc: "drop these messages; * is any, #k the k-th", Repeat: true,
		Set: func(s *Scenario, text string) error { return appendRule(&s.Drop, text, false) },
		get: func(s *Scenario) []string { return texts(s.Drop) },
	},
	{
		Name: "slow", Network: true, Arg: "TYPE:P>Q[#k]=D", Doc: "give these messages the delay D", Repeat: true,
		Set: func(s *Scenario, text string) error { return appendRule(&s.Slow, text, true) },
		get: func(s *Scenario) []string {
			list := texts(s.Slow)
			for i, r := range s.Slow {
				list[i] += "=" + r.Delay.String()
			}
			return list
		},
	},
	{
		Name: "loss", Network: true, Arg: "p", Doc: "probability of message loss",
		Set: func(s *Scenario, text string) error { return setProbability(&s.Loss, text) },
		get: func(s *Scenario) []string { return listOfValue(s.Loss) },
	},
	{
		Name: "duplicate", Network: true, Arg: "p", Doc: "probability that a message arrives twice",
		Set: func(s *Scenario, text string) error { return setProbability(&s.Duplicate, text) },
		get: func(s *Scenario) []string { return listOfValue(s.Duplicate) },
	},
	{
		Name: "reorder", Network: true, Doc: "messages of one channel may overtake each other", Switch: true,
		Set: func(s *Scenario, text string) error { return setSwitch(&s.Reorder, text, true) },
		get: func(s *Scenario) []string { return textIf(s.Reorder, "on") },
	},
	{
		Name: "partition", Network: true, Arg: "P,..|Q,..@T1-T2", Doc: "no message crosses between the groups from T1 to T2", Repeat: true,
		Set: func(s *Scenario, text string) error {
			p, err := parsePartition(text)
			s.Partitions = append(s.Partitions, p)
			return err
		},
		get: func(s *Scenario) []string { return texts(s.Partitions) },
	},
	{
		Name: "silence", Arg: "P@T", Doc: "Byzantine P sends nothing from T on", Repeat: true,
		More: "The process continues its algorithm, but the network gets none of its messages, except forged ones. The process " +
			"is Byzantine, so properties of the correct processes ignore it.",
		Example: "4@2",
		Set:     func(s *Scenario, text string) error { return appendAt(&s.Silence, text, false) },
		get:     func(s *Scenario) []string { return texts(s.Silence) },
	},
	{
		Name: "lie", Arg: "P[>Q,..]@T TYPE:F=V", Doc: "Byzantine P sends V for the field F from T on", Repeat: true,
		More: "Values are JSON. The name before = is a field or a process; commas separate several of them. " +
			"A field: P sends this value in all messages of this type, to the given receivers or, without them, to all. " +
			"A process, as in 1@0 SEND:2=a,3=b: P takes no step of its algorithm in the whole run; at T it sends each of " +
			"these processes a message of this type. The value is the single field of the message, or an object of all " +
			"fields; a message without fields has no value, as in 1@0 OK:2,3. " +
			"P is Byzantine: properties of the correct processes do not count it.",
		Example: "4>1@0 elected:id=2",
		Set:     func(s *Scenario, text string) error { return appendLie(&s.Lies, text) },
		get:     func(s *Scenario) []string { return texts(s.Lies) },
	},
	{
		Name: "forge", Arg: "P>Q,..@T TYPE:F=V,..", Doc: "Byzantine P sends this message to Q at T", Repeat: true,
		More: "P sends this message although its algorithm does not. Every field must be given, and the receivers must be " +
			"neighbours of P. The process is Byzantine, so properties of the correct processes ignore it.",
		Example: "4>1@3 elected:id=2",
		Set:     func(s *Scenario, text string) error { return appendForgery(&s.Forgeries, text) },
		get:     func(s *Scenario) []string { return texts(s.Forgeries) },
	},
	{
		Name: "edit", Arg: "EDIT", Doc: "change one recorded step; etrace explain what-if", Repeat: true,
		Set: func(s *Scenario, text string) error {
			e, err := ParseEdit(text)
			s.Edits = append(s.Edits, e)
			return err
		},
		get: func(s *Scenario) []string { return texts(s.Edits) },
	},
	{
		Name: "choices", Arg: "I,...", Doc: "the schedule that --all-orders found",
		More:    "Each number chooses the next event among the possible next events. Time does not advance.",
		Example: "0,2,1",
		Set:     func(s *Scenario, text string) (err error) { s.Choices, err = parseChoices(text); return err },
		get:     func(s *Scenario) []string { return listOfText(s.Choices.String()) },
	},
	{
		Name: "round-length", Arg: "D", Doc: "duration of a synchronous round (default 1)",
		More: "Only algorithms that work in rounds have this key. A message that takes longer than a round arrives in a " +
			"later round.",
		Example: "2.5",
		Set:     func(s *Scenario, text string) (err error) { s.RoundLength, err = positiveTime(text); return err },
		get: func(s *Scenario) []string {
			if s.RoundLength == tracefmt.Unit {
				return nil
			}
			return listOfValue(s.RoundLength)
		},
	},
	{
		Name: "ring-repair", Arg: "on|off", Doc: "on (default): a ring skips crashed successors",
		Set: func(s *Scenario, text string) error { return setSwitch(&s.NoRingRepair, text, false) },
		get: func(s *Scenario) []string { return textIf(s.NoRingRepair, "off") },
	},
	{
		Name: "timeout", Arg: "D", Doc: "answer timeout, short for --param timeout=D",
		Set: func(s *Scenario, text string) error { return s.setParam("timeout", text) },
	},
	{
		Name: "coordinator-timeout", Arg: "D|on|off", Doc: "short for --param coordinator-timeout=D",
		Set: func(s *Scenario, text string) error { return s.setParam("coordinator-timeout", text) },
	},
	{
		Name: "announce", Arg: "lower|all|live", Doc: "the processes that receive the result",
		Set: func(s *Scenario, text string) error { return s.setParam("announce", text) },
	},
	{
		Name: "param", Arg: "k=v", Doc: "a parameter; etrace explain ALGORITHM", Repeat: true,
		Set: func(s *Scenario, text string) error {
			name, value, ok := strings.Cut(text, "=")
			if !ok {
				return fmt.Errorf("%q: expected name=value", text)
			}
			return s.setParam(name, value)
		},
		get: func(s *Scenario) []string { return s.paramList() },
	},
	{
		Name: "seed", Network: true, Arg: "S", Doc: "seed of the random choices",
		Set: func(s *Scenario, text string) (err error) {
			s.Seed, err = strconv.ParseInt(text, 10, 64)
			if err != nil {
				return fmt.Errorf("%q: expected an integer", text)
			}
			return nil
		},
		get: func(s *Scenario) []string { return listOfValue(s.Seed) },
	},
	{
		Name: "until", Network: true, Arg: "T", Doc: "stop at T",
		Set: func(s *Scenario, text string) (err error) { s.Until, err = positiveTime(text); return err },
		get: func(s *Scenario) []string { return listOfValue(s.Until) },
	},
	{
		Name: "max-events", Arg: "N", Doc: "stop after about N events (default 1000000)",
		Set: func(s *Scenario, text string) (err error) {
			s.MaxEvents, err = strconv.ParseInt(text, 10, 64)
			if err != nil || s.MaxEvents < 1 {
				return fmt.Errorf("%q: expected a whole number above 0", text)
			}
			return nil
		},
		get: func(s *Scenario) []string { return listOfValue(s.MaxEvents) },
	},
}

// Forms returns the example as a flag and as a line of a scenario file, "" for a key without an example.
func (k *Key) Forms() (flag, file string) {
	var s Scenario
	if k.Example == "" || k.Set(&s, k.Example) != nil {
		return "", "" // a test reads every example
	}
	text, err := s.YAML()
	if err != nil {
		return "", ""
	}
	return "--" + k.Name + " " + ShellWord(k.Example), strings.TrimSpace(string(text))
}

// listOfText returns a list of the text, nil for "".
func listOfText(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// listOfValue returns a list of the value as text, nil for the zero value.
func listOfValue[T comparable](v T) []string {
	var zero T
	if v == zero {
		return nil
	}
	return []string{fmt.Sprint(v)}
}

// textIf returns a list of the text if on is true, otherwise nil.
func textIf(on bool, text string) []string {
	if !on {
		return nil
	}
	return []string{text}
}

// texts returns the texts of the values.
func texts[T fmt.Stringer](list []T) []string {
	var written []string
	for _, v := range list {
		written = append(written, v.String())
	}
	return written
}

// setParam sets a parameter. It fails if the parameter has another value already.
func (s *Scenario) setParam(name, value string) error {
	if s.Params == nil {
		s.Params = map[string]string{}
	}
	if old, ok := s.Params[name]; ok && old != value {
		return fmt.Errorf("%s is given twice, as %s and as %s", name, old, value)
	}
	s.Params[name] = value
	return nil
}

// appendAt reads "P@T,...", where P is a process or a range, and appends each process. For a start, the time may
// be missing, and P may be all.
func appendAt(list *[]At, text string, start bool) error {
	for part := range strings.SplitSeq(text, ",") {
		subject, when, timed := strings.Cut(strings.TrimSpace(part), "@")
		if !timed && !start {
			return fmt.Errorf("%q: expected PROCESS@TIME, such as 4@2.5", part)
		}
		a := At{All: start && subject == "all"}
		ids := []int64{0}
		var err error
		if !a.All {
			ids, err = ParseIDs(subject)
			if err != nil {
				return err
			}
		}
		if timed {
			a.Time, err = network.ParseTime(when)
			if err != nil {
				return err
			}
		}
		for _, a.Process = range ids {
			*list = append(*list, a)
		}
	}
	return nil
}

// appendRule reads a rule for single messages and appends it; slow is true if the rule has a delay.
func appendRule(list *[]Rule, text string, slow bool) error {
	form := "TYPE:P>Q or TYPE:P>Q#k, such as OK:3>2#1"
	if slow {
		form = "TYPE:P>Q=D or TYPE:P>Q#k=D, such as OK:3>2#1=4"
	}
	messages, delay, delayed := strings.Cut(text, "=")
	r, ok := parseMessages(messages)
	if !ok || delayed != slow {
		return fmt.Errorf("%q: expected %s; * is any", text, form)
	}
	if slow {
		var err error
		r.Delay, err = network.ParseTime(delay)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	*list = append(*list, r)
	return nil
}

// parseMessages reads TYPE:P>Q or TYPE:P>Q#k.
func parseMessages(text string) (r Rule, ok bool) {
	text, occurrence, counted := strings.Cut(text, "#")
	if counted {
		k, err := strconv.Atoi(occurrence)
		if err != nil || k < 1 {
			return r, false
		}
		r.Occurrence = k
	}
	typ, channel, colon := strings.Cut(text, ":")
	from, receiver, arrow := strings.Cut(channel, ">")
	if !colon || !arrow || typ == "" {
		return r, false
	}
	if typ != "*" {
		r.Type = typ
	}
	for _, end := range []struct {
		text string
		id   **int64
	}{{from, &r.From}, {receiver, &r.To}} {
		if end.text == "*" {
			continue
		}
		id, err := parseID(end.text)
		if err != nil {
			return r, false
		}
		*end.id = &id
	}
	return r, true
}

// parsePartition reads GROUP|GROUP@FROM-TO.
func parsePartition(given string) (p Partition, err error) {
	groups, interval, ok := strings.Cut(given, "@")
	if !ok || !strings.Contains(groups, "|") {
		return p, fmt.Errorf("%q: expected GROUP|GROUP@FROM-TO, such as 1,2|3,4@5-8", given)
	}
	for g := range strings.SplitSeq(groups, "|") {
		ids, err := ParseIDs(g)
		if err != nil {
			return p, err
		}
		p.Groups = append(p.Groups, ids)
	}
	from, to, bounded := text.CutRange(interval)
	p.From, err = network.ParseTime(from)
	if err != nil || !bounded {
		return p, err
	}
	p.To, err = network.ParseTime(to)
	if err == nil && p.To <= p.From {
		err = fmt.Errorf("%q: a partition must end after it begins", given)
	}
	return p, err
}

// parseDelay reads a delay: a number, uniform(A,B) or exponential(A).
func parseDelay(s string) (Delay, error) {
	var d Delay
	bad := fmt.Errorf("%q: expected a delay such as 1, uniform(0.5,1.5) or exponential(1)", s)
	name, args, call := strings.Cut(s, "(")
	args, closed := strings.CutSuffix(args, ")")
	if call != closed {
		return d, bad
	}
	if !call {
		name, args = "", s
	}
	// A misspelled name would be refused as a number.
	if near := text.Nearest(name, []string{"uniform", "exponential"}); near != "" && near != name {
		return d, fmt.Errorf("%w; did you mean %s?", bad, near)
	}
	first, second, two := strings.Cut(args, ",")
	var err error
	d.A, err = network.ParseTime(strings.TrimSpace(first))
	if err != nil {
		return d, bad
	}
	switch {
	case name == "" && !two && d.A > 0:
		return d, nil
	case name == "exponential" && !two && d.A > 0:
		d.Distribution = network.Exponential
		return d, nil
	case name == "uniform" && two:
		d.Distribution = network.Uniform
		d.B, err = network.ParseTime(strings.TrimSpace(second))
		if err == nil && d.B > d.A {
			return d, nil
		}
		if err == nil {
			return d, fmt.Errorf("%w: the second bound is above the first", bad)
		}
	}
	return d, bad
}

// setProbability reads a probability from 0 to 1.
func setProbability(p *Probability, text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return fmt.Errorf("%q: expected a probability from 0 to 1", text)
	}
	*p = Probability(f)
	return nil
}

// setSwitch reads on or off, and sets b to on or to its opposite.
func setSwitch(b *bool, text string, on bool) error {
	switch text {
	case "on", "true":
		*b = on
	case "off", "false":
		*b = !on
	default:
		return fmt.Errorf("%q: expected on or off", text)
	}
	return nil
}

// positiveTime reads a time above 0.
func positiveTime(text string) (tracefmt.Time, error) {
	t, err := network.ParseTime(text)
	if err == nil && t == 0 {
		err = fmt.Errorf("%q: expected a time above 0", text)
	}
	return t, err
}
