package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

var broadcastUniformAgreement = analyze.Property{
	Name: "broadcast-uniform-agreement",
	Kind: analyze.Liveness,
	Doc: `A message that some process delivers, be it one that crashes, every correct process
delivers in the end.

This is a stricter reading of broadcast-agreement, which asks that only of what a correct
process delivers; an algorithm that delivers before the others have the message breaks it
where the sender crashes, and need not keep it. What a Byzantine process or a client says that it delivers
obliges no process. A process is correct if it takes part, and neither crashes nor halts
in the whole run; one of which the run does not say whether it takes part does if it broadcasts or
delivers, may if it starts or has states, timers or notes, or may without a record, so that the property is unknown, and is else taken
for one that stands by. While the run can go on, a message that a correct process has not delivered is an
open obligation.`,
	Needs:     broadcastNeeds,
	Source:    reliableProgramming + ", 3.4: URB4, uniform agreement",
	Problem:   tracefmt.Broadcast,
	OnRequest: true,
	Convicts:  noteFacts,
	Acquits:   analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastAgreementMonitor{promised: newPromised(run), uniform: true}
	},
}
