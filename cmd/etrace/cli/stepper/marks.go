package stepper

import (
	"cmp"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// sign is the character of an event on its lifeline, with a label beside it. In the label, T stands for the type of the
// event, Q for the peer, V for the variables.
type sign struct {
	text  string
	look  look
	label string
}

// signs are the signs of events that are no message between two processes.
var signs = map[tracefmt.Kind]sign{
	tracefmt.Start:       {"○", plain, "starts"},
	tracefmt.Halt:        {"■", plain, "halts"},
	tracefmt.Crash:       {"✗", broken, "crashes"},
	tracefmt.Recover:     {"○", plain, "recovers"},
	tracefmt.SetTimer:    {"+", plain, "sets T"},
	tracefmt.CancelTimer: {"-", plain, "cancels T"},
	tracefmt.Timeout:     {"!", plain, "T expires"},
	tracefmt.Suspect:     {"?", plain, "suspects Q"},
	tracefmt.Trust:       {"?", plain, "trusts Q"},
	tracefmt.State:       {"●", plain, "V"},
	tracefmt.Invoke:      {">", plain, "T"},
	tracefmt.Return:      {"<", plain, "T"},
	tracefmt.Note:        {"·", plain, "T"},
}

// stroke is the style of the arrow of a message: its line, and its heads in both directions.
type stroke struct {
	line, right, left string
	look              look
}

// strokes are the styles of the events of messages.
var strokes = map[tracefmt.Kind]stroke{
	tracefmt.Send:    {"╌", "▷", "◁", arrow},
	tracefmt.Receive: {"─", "▶", "◀", arrow},
	tracefmt.Lose:    {"╌", "✗", "✗", broken},
}

// drawEvent draws an event on line y: a message, a change of the network, or an event of one process.
func (l *lifelines) drawEvent(y int, e *tracefmt.Event, tone look) {
	from, to := e.Process, e.Peer
	if e.Kind != tracefmt.Send {
		from, to = e.Peer, e.Process
	}
	stroke, isMessage := strokes[e.Kind]
	switch {
	case isMessage && from > 0 && to > 0 && from != to:
		if tone != plain {
			stroke.look = tone
		}
		l.drawMessage(y, e, from, to, stroke)
	case e.Process == 0:
		l.s.fill(l.gutter, l.s.width, y, tone, "═")
		l.s.put(l.gutter+2, y, l.s.width-l.gutter-3, tone, " "+l.words.Of(e)+" ")
	default:
		l.drawLocalEvent(y, e, tone)
	}
}

// drawLocalEvent draws an event of one process: a sign on its lifeline, with a label.
func (l *lifelines) drawLocalEvent(y int, e *tracefmt.Event, tone look) {
	sign, ok := signs[e.Kind]
	if !ok {
		sign.text, sign.label = "●", e.Kind.String()+" T"
	}
	x, visible := l.x(e.Process)
	if !visible {
		l.drawOffScreen(y, x, e)
		return
	}
	l.s.put(x, y, 1, cmp.Or(tone, sign.look), sign.text)
	words := strings.NewReplacer("T", e.Type, "Q", l.run.ProcessName(e.Peer), "V", strings.Join(assignments(e), " ")).Replace(sign.label)
	if words == "" { // such as a note whose text comes from a log
		words = l.words.Of(e)
	}
	l.drawLabel(y, x, x, tone, words)
}

// assignments returns the variables that the event assigns, as NAME=VALUE.
func assignments(e *tracefmt.Event) []string {
	var list []string
	for name, value := range tracefmt.Fields(e.Payload) {
		if n := string(name); n != tracefmt.CausesKey && n != tracefmt.LogKey {
			list = append(list, n+"="+replay.Plain(value))
		}
	}
	return list
}

// drawMessage draws an arrow between two lifelines. The type of the message is on the arrow, or beside it if there is no room.
func (l *lifelines) drawMessage(y int, e *tracefmt.Event, from, to tracefmt.ProcessID, line stroke) {
	a, seen := l.x(from)
	b, reaches := l.x(to)
	if a == b {
		l.drawOffScreen(y, a, e)
		return
	}
	tone, left, right := line.look, min(a, b), max(a, b)
	l.s.fill(left+1, right, y, tone, line.line)
	switch e.Kind {
	case tracefmt.Send:
		l.drawEnd(a, y, tone, "●", seen)
		l.drawHead(a, b, y, line, reaches)
	case tracefmt.Receive:
		l.drawHead(a, b, y, line, reaches)
		l.drawEnd(b, y, tone, "●", reaches)
	default: // a loss is no step of the receiver, so its end has no dot
		l.drawEnd(b, y, tone, line.right, reaches)
	}
	if text := " " + e.Type + " "; e.Type != "" {
		if w := width(text); w <= right-left-4 {
			l.s.put(left+(right-left-w)/2, y, w, tone, text)
		} else {
			l.drawLabel(y, left, right, tone, e.Type)
		}
	}
}

// drawOffScreen writes an event in words at the edge x of the screen, if its processes are beyond that edge.
func (l *lifelines) drawOffScreen(y, x int, e *tracefmt.Event) {
	text, room := l.words.Of(e), max((l.s.width-l.gutter)/2, 0)
	if x < l.gutter {
		l.s.put(x, y, 1, faint, "‹")
		l.s.put(l.s.put(x+1, y, room, faint, text), y, 1, plain, " ")
		return
	}
	l.s.put(x, y, 1, faint, "›")
	from := x - min(width(text), room)
	l.s.put(from-1, y, room+1, faint, " "+text)
}

// drawEnd draws the sign at one end of an arrow, if its process is visible.
func (l *lifelines) drawEnd(x, y int, tone look, sign string, visible bool) {
	if visible {
		l.s.put(x, y, 1, tone, sign)
	}
}

// drawHead draws the head of an arrow from column a to b, beside the lifeline of the receiver. An arrow that leaves the screen
// gets the sign of the edge.
func (l *lifelines) drawHead(a, b, y int, line stroke, reaches bool) {
	tone := line.look
	switch {
	case reaches && a < b:
		l.s.put(b-1, y, 1, tone, line.right)
	case reaches:
		l.s.put(b+1, y, 1, tone, line.left)
	case a < b:
		l.s.put(b, y, 1, tone, "›")
	default:
		l.s.put(b, y, 1, tone, "‹")
	}
}

// drawLabel writes a text right of the columns from left to right, or left of them if there is more room.
func (l *lifelines) drawLabel(y, left, right int, tone look, text string) {
	w, after, before := width(text), l.s.width-right-2, left-l.gutter-1
	switch {
	case text == "":
	case w <= after || after >= before:
		x := l.s.put(right+2, y, after, tone, text)
		l.s.put(x, y, 1, plain, " ") // separates the text from the next lifeline
	default:
		w = min(w, before)
		l.s.put(left-2-w, y, w+1, tone, " "+text)
	}
}
