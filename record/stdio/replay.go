package stdio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/maelstrom"
	"etrace/tracefmt/text"
)

// Node is a program to be compared with a node of a recording.
type Node struct {
	// Name is the name of the node.
	Name string
	// Command is the program with its arguments.
	Command []string
	// Ignore lists fields of messages that may differ, such as body.msg_id; * matches any field or
	// item.
	Ignore []string
	// Changes are messages that the program gets more or less often than the node.
	Changes []Change
}

// Change names a message by its number, or by the seq of its send. For each receive of the message by the node,
// the program gets Times copies: 0 for a dropped message.
type Change struct {
	Message tracefmt.MessageID
	Send    tracefmt.Seq
	Times   int
}

// String names the message.
func (c Change) String() string {
	if c.Message != 0 {
		return fmt.Sprint("m", c.Message)
	}
	return fmt.Sprint("the message sent at seq", c.Send)
}

// Comparison is the result of a comparison of a program's output with that of a node.
type Comparison struct {
	File string
	Run  int
	Node string
	// Read is the number of messages that the program got, Printed the number of compared lines.
	Read, Printed int
	// Divergence is the first difference, nil for none.
	Divergence *Divergence
}

// Divergence is the first line of a node that a program does not print.
type Divergence struct {
	// Seq is the seq of the event of the line.
	Seq tracefmt.Seq
	// Path is the first field that differs, "" for the line as a whole.
	Path string
	// Recorded and Printed are the lines. Reason explains a missing printed line.
	Recorded, Printed, Reason string
}

// silenceLimit is the time for which a program that should print a line may be silent, in addition to the time that
// the node took.
const silenceLimit = time.Second

// sleepLimit is the time for which a program may sleep without reading its input.
const sleepLimit = 10 * time.Second

// Compare gives the program the messages that the node received, in their order, and compares its output with
// that of the node. It kills and restarts the program where the node crashed and recovered. Output after the
// node's last line is not compared, since the recording may have ended earlier.
func (n *Node) Compare(ctx context.Context, rec tracefmt.Recording) (*Comparison, error) {
	run := rec.Run()
	names := make([]string, len(run.Members))
	for i, m := range run.Members {
		names[i] = m.Name
	}
	number := tracefmt.ProcessID(slices.Index(names, n.Name) + 1)
	switch {
	case number == 0:
		return nil, text.Unknown("node", n.Name, names)
	case run.Role(number) == "client":
		return nil, fmt.Errorf("%s is a client, expected a node", n.Name)
	}
	if len(n.Command) == 0 {
		return nil, fmt.Errorf("expected the program after --, such as -- ./node")
	}
	command, err := findProgram(n.Command)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the program ends with the thread that started it
	defer runtime.UnlockOSThread()
	r := &rerun{node: n, command: command, wake: make(chan struct{}, 1)}
	r.Comparison, r.applied = &Comparison{Run: run.Number, Node: n.Name}, make([]bool, len(n.Changes))
	defer r.stop()
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if e.Process != number {
			continue
		}
		if err := r.apply(ctx, e); err != nil {
			return nil, err
		}
		if r.Divergence != nil {
			return r.Comparison, nil
		}
	}
	for i, made := range r.applied {
		if !made {
			return nil, fmt.Errorf("%s has not read %s in run %d, expected a message that it has read", n.Name, n.Changes[i], run.Number)
		}
	}
	if r.Read == 0 && r.Printed == 0 {
		return nil, fmt.Errorf("%s has read and printed nothing in run %d, expected a node with messages", n.Name, run.Number)
	}
	return r.Comparison, nil
}

// rerun is a comparison in progress.
type rerun struct {
	*Comparison
	node       *Node
	command    []string
	proc       *process // nil while the node is down
	lines      [][]byte // printed lines that were not compared yet
	givenBytes int64    // the number of bytes written to the program
	// lastWords is the last line on stderr, after a colon.
	lastWords string
	last      tracefmt.Time
	wake      chan struct{}
	applied   []bool // by change
}

// times returns the number of copies that the program gets of a message that the node has received. It marks the
// changes that apply.
func (r *rerun) times(e *tracefmt.Event) int {
	times := 1
	for i, c := range r.node.Changes {
		if c.Message != 0 && c.Message == e.Message || c.Send != 0 && c.Send == e.Cause {
			times, r.applied[i] = c.Times, true
		}
	}
	return times
}

// stop kills the program.
func (r *rerun) stop() {
	if r.proc != nil {
		r.proc.kill()
		r.proc.close()
		r.proc, r.lines = nil, nil
	}
}

// start starts the program.
func (r *rerun) start() (err error) {
	r.proc, err = start(r.command, nil, func() {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	})
	r.givenBytes, r.lastWords = 0, ""
	return err
}

// apply applies an event of the node: it gives the program its input, or compares its output.
func (r *rerun) apply(ctx context.Context, e *tracefmt.Event) error {
	gap := time.Duration(e.Time - r.last)
	r.last = e.Time
	logged := wordsOf(e)
	switch {
	case e.Kind.Downs():
		r.stop()
	case r.proc == nil: // the journal does not record the start
		if err := r.start(); err != nil {
			return err
		}
	}
	switch {
	case e.Kind == tracefmt.Receive, e.Kind == tracefmt.Send:
		var line maelstrom.Line
		if json.Unmarshal([]byte(logged), &line) != nil || line.Msg == nil {
			return fmt.Errorf("run %d, seq %d: expected the message that the node read or printed, as etrace record --exec "+
				"and journals of Maelstrom have it", r.Run, e.Seq)
		}
		message, err := json.Marshal(line.Msg)
		if err != nil {
			return err
		}
		if e.Kind == tracefmt.Receive {
			for range r.times(e) {
				r.Read++
				r.givenBytes += int64(len(message)) + 1
				r.proc.write(append(slices.Clip(message), '\n'))
			}
			return nil
		}
		return r.expect(ctx, e.Seq, string(message), gap)
	case e.Kind == tracefmt.Note && (e.Type == malformed || e.Type == undeliverable):
		return r.expect(ctx, e.Seq, logged, gap)
	}
	return nil
}

// wordsOf returns the log's own text of an event.
func wordsOf(e *tracefmt.Event) string {
	var log struct{ Text string }
	raw, _ := e.Field(tracefmt.LogKey)
	_ = json.Unmarshal(raw, &log) // an event without words has none
	return log.Text
}

// expect compares the next line of the program with a recorded line of the node.
func (r *rerun) expect(ctx context.Context, seq tracefmt.Seq, recorded string, gap time.Duration) error {
	line, reason := r.next(ctx, gap)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted while %s was comparing", r.Node)
	}
	if reason != "" {
		r.Divergence = &Divergence{Seq: seq, Recorded: recorded, Reason: reason}
		return nil
	}
	r.Printed++
	if path, equal := r.node.equal(recorded, line); !equal {
		r.Divergence = &Divergence{Seq: seq, Path: path, Recorded: recorded, Printed: line}
	}
	return nil
}

// next returns the next line of the program, or the reason why it prints no line.
func (r *rerun) next(ctx context.Context, gap time.Duration) (line, reason string) {
	patience := max(gap, 0) + silenceLimit
	busy, awake := time.Now(), time.Now()
	runs := ""
	for {
		ended := r.proc.ended()
		r.proc.flush()
		r.lines = append(r.lines, r.proc.stdout.take()...)
		r.lastWords = lastWords(r.proc.stderr.take(), r.lastWords) // a full pipe would stop the program
		for len(r.lines) > 0 {
			line := string(bytes.TrimSpace(r.lines[0]))
			r.lines = r.lines[1:]
			if line != "" {
				return line, ""
			}
		}
		// As long as the system shows that the program is working, wait for it: the machine may be busy.
		now, sleeps := r.proc.runCounts()
		if !sleeps || now != runs {
			awake = time.Now()
		}
		if seesWaiting && (!sleeps || now != runs || r.proc.readBytes() < r.givenBytes) {
			busy = time.Now()
		}
		runs = now
		switch {
		case ended:
			return "", "the program has ended: " + r.proc.cmd.ProcessState.String() + r.lastWords
		case time.Since(awake) > patience+sleepLimit:
			return "", "the program sleeps and does not read its input"
		case time.Since(busy) > patience:
			return "", "the program prints nothing"
		}
		select {
		case <-ctx.Done():
			return "", ""
		case <-r.wake:
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// equal compares two lines. path is the first field that differs, "" if a line is no JSON.
func (n *Node) equal(recorded, printed string) (path string, equal bool) {
	want, got, ok := decoded(recorded, printed)
	if !ok {
		return "", recorded == printed
	}
	path = n.difference("", want, got)
	return strings.TrimPrefix(path, "."), path == ""
}

// decoded decodes two lines of JSON; ok is false if one is not JSON.
func decoded(recorded, printed string) (want, got any, ok bool) {
	for _, d := range []struct {
		text   string
		target *any
	}{{recorded, &want}, {printed, &got}} {
		decoder := json.NewDecoder(strings.NewReader(d.text))
		decoder.UseNumber()
		if decoder.Decode(d.target) != nil {
			return nil, nil, false
		}
	}
	return want, got, true
}

// rankOf returns the rank of a key in a comparison; keys with lower rank are compared first.
func rankOf(key string) int {
	if i := slices.Index([]string{"dest", "src", "type"}, key); i >= 0 {
		return i
	}
	return 3
}

// difference returns the path of the first difference between two values, "" if they are equal.
func (n *Node) difference(path string, want, got any) string {
	if n.isIgnored(path) {
		return ""
	}
	switch one := want.(type) {
	case map[string]any:
		gotMap, ok := got.(map[string]any)
		if !ok {
			return path
		}
		keys := slices.Collect(maps.Keys(one))
		for key := range gotMap {
			if _, both := one[key]; !both {
				keys = append(keys, key)
			}
		}
		// The receiver and the type come first: where these differ, it is another message. Then the order is that of
		// the names, so that the first difference is always the same.
		slices.SortFunc(keys, func(a, b string) int {
			return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), strings.Compare(a, b))
		})
		for _, key := range keys {
			x, inOne := one[key]
			y, inOther := gotMap[key]
			at := path + "." + key
			switch {
			case inOne != inOther && !n.isIgnored(at):
				return at
			case inOne && inOther:
				if found := n.difference(at, x, y); found != "" {
					return found
				}
			}
		}
		return ""
	case []any:
		gotList, ok := got.([]any)
		if !ok || len(one) != len(gotList) {
			return path
		}
		for i := range one {
			if found := n.difference(path+"."+strconv.Itoa(i), one[i], gotList[i]); found != "" {
				return found
			}
		}
		return ""
	}
	if want != got {
		return path
	}
	return ""
}

// isIgnored reports whether a field may differ between recording and rerun.
func (n *Node) isIgnored(path string) bool {
	names := strings.Split(strings.TrimPrefix(path, "."), ".")
	return slices.ContainsFunc(n.Ignore, func(ignored string) bool {
		pattern := strings.Split(ignored, ".")
		if len(pattern) != len(names) {
			return false
		}
		for i := range pattern {
			if pattern[i] != "*" && pattern[i] != names[i] {
				return false
			}
		}
		return true
	})
}

// WriteText writes the result for people: the number of compared lines, and the first difference.
func (c *Comparison) WriteText(w io.Writer) error {
	read := text.Counted(c.Read, "message", "messages")
	where := fmt.Sprintf("%s run %d: %s", text.Printable(c.File), c.Run, text.Printable(c.Node))
	d := c.Divergence
	if d == nil {
		_, err := fmt.Fprintf(w, "%s reads %s and prints what was recorded: %s\n", where, read, text.Counted(c.Printed, "line", "lines"))
		return err
	}
	at := ""
	if d.Path != "" {
		at = " in " + text.Printable(d.Path)
	}
	printed := d.Printed
	if d.Reason != "" {
		printed = "(" + d.Reason + ")"
	}
	_, err := fmt.Fprintf(w, "%s diverges at seq %d%s, having read %s and printed %s\n  - recorded: %s\n  + printed:  %s\n",
		where, d.Seq, at, read, text.Counted(c.Printed, "line", "lines"), text.Printable(d.Recorded), text.Printable(printed))
	return err
}

// WriteJSON writes the result as etrace.replay-node/1.
func (c *Comparison) WriteJSON(w io.Writer) error {
	type divergence struct {
		Seq      tracefmt.Seq `json:"seq"`
		Path     string       `json:"path,omitempty"`
		Recorded string       `json:"recorded"`
		Printed  string       `json:"printed,omitempty"`
		Reason   string       `json:"reason,omitempty"`
	}
	return tracefmt.WriteJSON(w, struct {
		Format     string      `json:"format"`
		File       string      `json:"file"`
		Run        int         `json:"run"`
		Node       string      `json:"node"`
		Read       int         `json:"read"`
		Printed    int         `json:"printed"`
		Divergence *divergence `json:"divergence"`
	}{"etrace.replay-node/1", c.File, c.Run, c.Node, c.Read, c.Printed, (*divergence)(c.Divergence)})
}
