package tracefmt

// sendTable says where the messages of a run were sent, for receives and losses
// that leave out their cause. It takes 8 bytes a message.
type sendTable struct {
	seqs MessageTable[Seq]
	// again has the second sends of messages that were sent more than once.
	again map[MessageID]Seq
	// asked: an event left out its cause.
	asked bool
	// complete: all sends are there. The table is then not written to again, so
	// that several readers can have it.
	complete bool
}

// causeOf completes the event that was just read: who writes a run by hand need
// not say which send it was if the message says it. Where it does not, the event
// has no cause: what that means is for those to say who judge the run.
func (d *Decoder) causeOf(e *Event) {
	switch {
	case e.Message == 0:
	case e.Kind == Send && !d.sends.complete:
		d.sends.put(e.Message, e.Seq)
	case d.keys&keyCause == 0 && infersCause(e):
		d.sends.asked = d.sends.asked || !d.sends.complete
		e.Cause = d.sends.before(e)
	}
}

// LeavesOutCause reports whether the line of the event that was read last leaves it to the whole
// run to say which send it is of.
func (d *Decoder) LeavesOutCause() bool { return d.keys&keyCause == 0 && infersCause(&d.event) }

// infersCause reports whether the text twin has the message of an event say its
// cause where that is left out.
func infersCause(e *Event) bool { return e.Message != 0 && (e.Kind == Receive || e.Kind == Lose) }

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

// before returns the only send of the message of e before it, 0 if there is none
// or there are several.
func (t *sendTable) before(e *Event) Seq {
	send := t.seqs.Get(e.Message)
	if again := t.again[e.Message]; send == nil || *send >= e.Seq || again != 0 && again < e.Seq {
		return 0
	}
	return *send
}
