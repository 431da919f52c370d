package tracefmt

// sendTable says where the messages of a run were sent, for receives and losses
// that leave out their cause. It takes 8 bytes a message.
type sendTable struct {
	seqs MessageTable[Seq]
	// asked: an event left out its cause.
	asked bool
	// complete: all sends are there. The table is then not written to again, so
	// that several readers can have it.
	complete bool
}

// twice stands for the seqs of messages that were sent more than once.
const twice Seq = -1

// causeOf completes the event that was just read: who writes a run by hand need
// not say which send it was if the message says it.
func (d *Decoder) causeOf(e *Event) error {
	switch {
	case e.Message == 0:
	case e.Kind == Send && !d.sends.complete:
		at := e.Seq
		if d.sends.seqs.Get(e.Message) != nil {
			at = twice
		}
		d.sends.seqs.Put(e.Message, at)
	case e.Cause == 0 && (e.Kind == Receive || e.Kind == Lose):
		d.sends.asked = d.sends.asked || !d.sends.complete
		send := d.sends.seqs.Get(e.Message)
		switch {
		case send == nil, *send >= e.Seq:
			return d.errorf("seq %d: no send of message %d comes before this %s, and it names no cause", e.Seq, e.Message, e.Kind)
		case *send == twice:
			return d.errorf("seq %d: message %d was sent more than once, expected a cause that says by which event", e.Seq, e.Message)
		}
		e.Cause = *send
	}
	return nil
}
