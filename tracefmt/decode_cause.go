package tracefmt

// sendTable holds the sends of a run, for receives and losses without an explicit cause. It takes 8 bytes for
// each message.
type sendTable struct {
	seqs MessageTable[Seq]
	// again has the second sends of messages that were sent more than once.
	again map[MessageID]Seq
	// asked is true once some event without an explicit cause needed the table.
	asked bool
	// complete: all sends are in the table. It is then read-only, so several readers can share it.
	complete bool
}

// causeOf completes the event that was just read. A run written by hand need not name the send of a receive if
// the message determines it. If it does not, the event has no cause, and the checks of the run decide what that
// means.
func (d *Decoder) causeOf(e *Event) {
	switch {
	case e.Message == 0: // not about a message
	case e.Kind == Send && !d.sends.complete:
		d.sends.put(e.Message, e.Seq)
	case d.keys&keyCause == 0 && infersCause(e):
		d.sends.asked = d.sends.asked || !d.sends.complete
		e.Cause = d.sends.before(e)
	}
}

// LeavesOutCause reports whether the last event has no explicit cause, so that the whole run determines its
// send.
func (d *Decoder) LeavesOutCause() bool { return d.keys&keyCause == 0 && infersCause(&d.event) }

// infersCause reports whether the text twin infers a missing cause of the event from its message.
func infersCause(e *Event) bool { return e.Message != 0 && (e.Kind == Receive || e.Kind == Lose) }

// put adds the send of a message, which has the seq at. Of the sends of one message it keeps the first two.
func (t *sendTable) put(message MessageID, at Seq) {
	switch {
	case t.seqs.Get(message) == nil:
		t.seqs.Put(message, at)
	case t.again[message] == 0:
		if t.again == nil {
			t.again = make(map[MessageID]Seq)
		}
		t.again[message] = at
	}
}

// before returns the seq of the send of e's message, if exactly one send precedes e. Otherwise it returns 0.
func (t *sendTable) before(e *Event) Seq {
	send := t.seqs.Get(e.Message)
	if again := t.again[e.Message]; send == nil || *send >= e.Seq || again != 0 && again < e.Seq {
		return 0
	}
	return *send
}
