package property

import (
	"etrace/analyze"
	"etrace/tracefmt"
)

var commitAgreement = analyze.Property{
	Name: "commit-agreement",
	Kind: analyze.Safety,
	Doc: `No two processes decide differently, one to commit and another to abort.

This is the uniform reading: it holds processes that crash after their decision
to it, too. Each decision is compared with those of the other processes before; what else than "commit"
and "abort" a process says that it has decided is no outcome. What a Byzantine process
decides convicts no other one.`,
	Needs:    `state events that assign decided ("commit" or "abort")`,
	Source:   reliableProgramming + ", 6.6: NBAC2, agreement; " + gray + ", 5.8.3.3",
	Problem:  tracefmt.Commit,
	Convicts: decisionFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &consensusAgreementMonitor{among: isOutcome}
	},
}
