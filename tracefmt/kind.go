package tracefmt

import (
	"fmt"
	"slices"

	"etrace/tracefmt/text"
)

// Kind is the kind of an event.
type Kind uint8

// The event kinds. Their names, meanings and fields are in [Kinds].
const (
	Start Kind = iota + 1
	Halt
	Crash
	Recover
	Send
	Receive
	Lose
	SetTimer
	CancelTimer
	Timeout
	Suspect
	Trust
	State
	Invoke
	Return
	Partition
	Heal
	Note
)

// Need determines whether events of a kind have a field.
type Need uint8

// Absent is the zero value: a kind has only the fields that its row names.
const (
	Absent Need = iota
	Optional
	Required
)

// KindInfo is one row of the table of kinds, from which the codec, the validator and the documentation derive.
type KindInfo struct {
	Name string
	Doc  string
	// Process, Peer, Type, Message, Cause and Payload determine which fields of an Event the kind uses. Seq,
	// Time, Lamport and Term are common to all.
	Process, Peer, Type, Message, Cause, Payload Need
	// PeerRole names the role of the peer.
	PeerRole string
	// Assigns is true if the payload fields are variables of the process; marks are no variables, see [IsMark].
	Assigns bool
	// Downs is true if the process takes no step after the event until it starts or recovers.
	Downs bool
}

// kinds is indexed by Kind. A cause is allowed wherever an importer may know a direct happened-before edge
// without a message.
var kinds = [...]KindInfo{
	Start: {
		Name:    "start",
		Doc:     "the process begins to run; the payload may have its initial variables",
		Process: Required, Cause: Optional, Payload: Optional, Assigns: true,
	},
	Halt: {Name: "halt", Doc: "the process ends normally", Process: Required, Cause: Optional, Payload: Optional, Downs: true},
	Crash: {
		Name: "crash", Doc: "the process stops without warning and takes no step until it recovers",
		Process: Required, Payload: Optional, Downs: true,
	},
	Recover: {
		Name:    "recover",
		Doc:     "a crashed process runs again, with the variables of the payload; all others are lost",
		Process: Required, Payload: Optional, Assigns: true,
	},
	Send: {
		Name: "send", Doc: "a message leaves the sender; a broadcast is one send per receiver",
		Process: Required, Peer: Required, Type: Optional, Message: Required, Cause: Optional,
		Payload: Optional, PeerRole: "receiver",
	},
	Receive: {
		Name:    "receive",
		Doc:     "a message is delivered; a duplicate is a second receive of the same message",
		Process: Required, Peer: Required, Type: Optional, Message: Required, Cause: Required,
		Payload: Optional, PeerRole: "sender",
	},
	Lose: {
		Name:    "lose",
		Doc:     "a message will not be delivered; the payload names the reason: dropped, partitioned, receiver crashed",
		Process: Required, Peer: Required, Type: Optional, Message: Required, Cause: Required,
		Payload: Optional, PeerRole: "sender",
	},
	SetTimer: {
		Name: "set-timer", Doc: "a timer is armed; arming an armed timer restarts it", Process: Required,
		Type: Required, Payload: Optional,
	},
	CancelTimer: {Name: "cancel-timer", Doc: "an armed timer is stopped", Process: Required, Type: Required, Payload: Optional},
	Timeout:     {Name: "timeout", Doc: "an armed timer expires", Process: Required, Type: Required, Payload: Optional},
	Suspect: {
		Name:    "suspect",
		Doc:     "the failure detector of the process suspects that another process has crashed",
		Process: Required, Peer: Optional, Cause: Optional, Payload: Optional, PeerRole: "the suspected",
	},
	Trust: {
		Name: "trust", Doc: "the failure detector of the process withdraws a suspicion", Process: Required,
		Peer: Optional, Cause: Optional, Payload: Optional, PeerRole: "the trusted",
	},
	State: {
		Name: "state", Doc: "variables of the process change; null clears one", Process: Required,
		Cause: Optional, Payload: Required, Assigns: true,
	},
	Invoke:    {Name: "invoke", Doc: "a client begins an operation", Process: Required, Type: Required, Payload: Optional},
	Return:    {Name: "return", Doc: "an operation ends: ok, fail or unknown", Process: Required, Type: Required, Payload: Optional},
	Partition: {Name: "partition", Doc: "the network splits into the groups of the payload", Payload: Required},
	Heal:      {Name: "heal", Doc: "the network is whole again", Payload: Optional},
	Note: {
		Name: "note", Doc: "anything else; the type is its label", Process: Optional, Peer: Optional,
		Type: Optional, Message: Optional, Cause: Optional, Payload: Optional,
	},
}

var kindByName = func() map[string]Kind {
	m := make(map[string]Kind, len(kinds))
	for k := Start; int(k) < len(kinds); k++ {
		m[kinds[k].Name] = k
	}
	return m
}()

// Kinds returns every kind in the order of its number, which is also the
// order in which the documentation lists them.
func Kinds() []Kind {
	list := make([]Kind, 0, len(kinds)-1)
	for k := Start; int(k) < len(kinds); k++ {
		list = append(list, k)
	}
	return list
}

// Valid reports whether k is one of the kinds above.
func (k Kind) Valid() bool { return k >= Start && int(k) < len(kinds) }

// Info returns the row of k, the zero KindInfo for an invalid k.
func (k Kind) Info() KindInfo {
	if !k.Valid() {
		return KindInfo{}
	}
	return kinds[k]
}

// AssignsVariables reports whether events of the kind assign variables of their process: the payload fields for
// which [IsVariable] is true.
func (k Kind) AssignsVariables() bool { return k.Valid() && kinds[k].Assigns }

// IsStep reports whether events of the kind are steps of their processes. The loss of a message is no step of its
// receiver.
func (k Kind) IsStep() bool { return k.Info().Process != Absent && k != Lose }

// Downs reports whether the process takes no step after an event of the kind, until it begins again.
func (k Kind) Downs() bool { return k.Valid() && kinds[k].Downs }

// DownKinds returns the kinds of events after which the process takes no step.
func DownKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !k.Info().Downs })
}

func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kinds[k].Name
}

// ParseKind returns the kind with the given name.
func ParseKind(name string) (Kind, error) {
	if k, ok := kindByName[name]; ok {
		return k, nil
	}
	names := make([]string, 0, len(kinds))
	for _, k := range Kinds() {
		names = append(names, k.String())
	}
	return 0, text.Unknown("event kind", name, names)
}
