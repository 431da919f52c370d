package logs

import (
	"strings"

	"etrace/tracefmt/text"
)

var (
	// These are names of fields in logs by purpose, in lower case and without signs, the most likely first. A field
	// a.b is found as ab and as b.
	processFields = []string{
		"node", "nodeid", "nodename", "process", "processid", "proc", "self", "me", "server", "serverid",
		"servername", "replica", "replicaid", "member", "memberid", "peerid", "raftid", "storeid", "localid", "instance",
		"hostname", "host", "servicename", "actor", "logger", "name", "id", "module", "pid",
		"service", "pod", "podname", "container", "containername", "app",
	}
	// writerFields name the process if the claims of the lines agree with that.
	writerFields = []string{
		"participant", "participantid", "worker", "workerid", "site", "siteid", "broker", "brokerid", "agent", "agentid", "machine",
		"voter", "acceptor", "proposer", "learner", "client", "clientid", "owner", "ownerid", "holder", "holderid",
	}
	timeFields      = []string{"time", "ts", "timestamp", "t", "tdate", "at", "datetime", "date"}
	messageFields   = []string{"msg", "message", "text", "event", "action"}
	fromFields      = []string{"from", "fromid", "fromnode", "src", "srcid", "source", "sender", "senderid", "origin"}
	toFields        = []string{"to", "toid", "tonode", "dst", "dstid", "dest", "destid", "destination", "target", "receiver", "recipient"}
	peerFields      = []string{"peer", "peerid", "remote", "remoteid", "remotenode", "other", "counterpart"}
	typeFields      = []string{"msgtype", "messagetype", "mtype", "msgkind", "rpctype", "rpckind", "type", "kind", "rpc", "method", "bodytype"}
	idFields        = []string{"msgid", "messageid", "mid", "id", "uuid", "seqno", "msgno", "seq"}
	actFields       = []string{"event", "dir", "direction", "action", "op", "act", "kind"}
	leaderFields    = []string{"leader", "leaderid", "newleader", "currentleader", "coordinator", "coordinatorid", "newcoordinator", "elected"}
	candidateFields = []string{"votedfor", "votefor", "vote", "candidate", "candidateid", "for", "to", "grantedto"}
	roleFields      = []string{"role", "newrole", "newstate", "state", "to", "become", "new"}
)

// Words for ends of messages. In a pair, the second word counts only after a first word that concerns a
// message.
var (
	sendVerbs    = words("send sends sending sent resend resends resending tx -> --> transmit transmits transmitting transmitted")
	receiveVerbs = words("receive receives received receiving recv got get gets rx <- <-- deliver delivers delivered")
	arrows       = words("-> --> => → <- <--")
	outWords     = words("out outgoing outbound")
	inWords      = words("in incoming inbound")
	messageWords = words("msg message packet rpc net")
	// undone are words before a verb after which nothing is sent.
	undone = words("not no never cannot can't failed failing fail error before after stop stopped stopping when " +
		"while if to on skip skipping skipped drop dropped dropping ignore ignoring waiting last")
	// fillers do not belong to the type of a message, untyped are no types.
	fillers = words("a an the message msg")
	untyped = words("error timeout exception connection signal reply")
)

// processNouns are words before the name of a process.
var processNouns = words("process proc node server replica member peer site instance broker thread actor agent " +
	"worker host machine participant acceptor proposer learner voter site p n s id")

// roleWords are the roles that etrace knows, see docs/vocabulary.md.
var (
	roleWords = words("leader follower candidate leading following looking primary secondary backup replica master " +
		"slave coordinator electing observing")
	zabWords = words("leading looking")
)

// The words before the name of a lock, the words after these that name no lock, and the fields with the name.
var (
	lockWords = words("lock mutex resource")
	lockTails = words("a acquired after and as at by for freed from granted has held holder if in is obtained of " +
		"on or owner released taken the then to until was while with")
	lockFields = []string{"lock", "lockname", "lock_name", "mutex", "resource"}
)

// bootWord is a word before a term that counts the starts of a process where the process starts.
const bootWord = "generation"

// The words before a term.
var termWords = []string{"term", "currentterm", "epoch", "ballot", "round", "view", bootWord}

// peerLeads are the words before the name of the other end.
var peerLeads = map[string]string{"to": "to", "->": "to", "-->": "to", "from": "from", "<-": "from", "<--": "from"}

// The patterns of the constant words of lines, in small letters, with * for what varies.
var (
	startPhrase = text.Pattern(`^(?:\S+ ){0,2}(?:start|starts|started|starting|restart|restarted|restarting|boot|` +
		`booting|booted|up|launched|launching|listening|initialised|initialized)\b`)
	electionPhrase = text.Pattern(`\b(?:elections?|timer|rounds?)\b`)
	enterPhrase    = text.Pattern(`\b(?:enter|enters|entered|entering|acquired|acquires|got|gets|took|takes|` +
		`obtained|obtains|grabbed|holds|holding|have|has)\b.*\b(?:critical|cs|section|lock|mutex)\b|` +
		`\b(?:lock|mutex)` + ofLock + ` (?:is |was |has been )?(?:acquired|taken|obtained|granted)\b` +
		`|^(?:now |is )?(?:in|inside) (?:the )?(?:critical section|cs)\b|^(?:\* )?locked\b`)
	acquirePhrase = text.Pattern(`^(?:acquire|enter|lock)\b.*\b(?:critical|cs|section|lock|mutex)\b`)
	exitPhrase    = text.Pattern(`\b(?:leave|leaves|leaving|left|exit|exits|exited|exiting|` +
		`released|releases|freed|frees|gave up|gives up|dropped|drops|dropping)\b.*\b(?:critical|cs|section|lock|mutex)\b|` +
		`\b(?:lock|mutex)` + ofLock + ` (?:is |was |has been )?(?:released|freed|dropped)\b` +
		`|^(?:release|leave|exit|unlock)\b.*\b(?:critical|cs|section|lock|mutex)\b|\bout of (?:the )?(?:critical section|cs)\b` +
		`|^(?:\* )?unlocked\b`)
	sharedPhrase  = text.Pattern(`\b(?:read|shared|reader)[ -]lock\b`)
	requestPhrase = text.Pattern(`^(?:request|requesting|requests|requested|wants|waiting|entering|acquiring)` +
		`(?: (?:for |to enter |access to )?(?:the |a )?(?:critical|cs|section|lock|mutex|entry|access)\b.*)?$` +
		`|\b(?:lock|mutex)` + ofLock + ` requested\b`)
	// The clause ends after the verb, or its cause or place follows: crash handler, crashed worker and recovery from a crash are no crash.
	crashPhrase = text.Pattern(`(?:^|\b(?:i|we|am|is|was|has|got|received|been|node|process|server|replica|member|worker) |\* )` +
		`(?:killed|sigkill|crash|crashes|crashed|crashing|panicked|died|dying)` +
		`(?:$| (?:now|by|at|on|due|in|after|while|during|unexpectedly|hard|-|\*)(?: |$))|^panic\b|\b(?:simulat|inject)\w* (?:a )?crash$`)
	haltPhrase = text.Pattern(`\b(?:shutting|shut|stopping|stopped|exiting|terminating|terminated|halting|` +
		`halted|stop|exit|halt|shutdown)\b`)
	suspectPhrase = text.Pattern(`\b(?:peer|node|server|member) \* (?:is |seems |was )?(?:lost|down|dead|unreachable|suspected|failed)\b|` +
		`\b(?:suspect|suspects|suspecting|suspected)\b`)
)

// ofLock matches the words between a lock and its verb, as in "lock on orders acquired".
const ofLock = `(?: (?:on|for|of)(?: \S+)?)?(?: \S+)?`

// Values of fields that name the kind of a line.
var (
	sendActs    = words("send sends sent sending tx out outgoing outbound")
	receiveActs = words("receive receives received recv receiving deliver delivered rx in incoming inbound")
	startActs   = words("start started starting boot up")
	enterActs   = words("enter enters entered entering")
	exitActs    = words("exit exits exited leave leaves left leaving")
)

// words returns the set of the words in a text.
func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// rank returns the position of a field in a list of names, or -1. A match of its whole name comes before a match of
// its last part.
func rank(key string, names []string) int {
	plain, last := plainKey(key), plainKey(key[strings.LastIndexByte(key, '.')+1:])
	for i, name := range names {
		if name == plain {
			return 2 * i
		}
		if name == last {
			return 2*i + 1
		}
	}
	return -1
}

// plainKey returns the name of a field in lower case and without signs.
func plainKey(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, key)
}
