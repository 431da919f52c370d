package logs

import (
	"fmt"
	"strings"
)

// message is the sense that the lines are sends or receives of messages.
func (g *guesser) message(k *sort, m *meaning) bool {
	if !g.bold.messages {
		return false
	}
	kind, key, fields := g.endOf(k), "to", toFields
	switch kind {
	case "":
		return false
	case "receive":
		key, fields = "from", fromFields
	}
	peer := g.field(k, fields, isPeer)
	if peer == "" {
		peer = g.field(k, peerFields, isPeer)
	}
	if peer == "" {
		peer = key
		if !k.peerAfter(m, key) {
			return false
		}
	} else {
		m.byAct = g.endsSpan(k.act) != ""
	}
	// In a single file of several processes the name of the file is no process, so the peer field of the writer names it.
	if writer := g.field(k, map[string][]string{"send": fromFields, "receive": toFields}[kind], isPeer); writer != "" &&
		g.anonymous() {
		m.parts = append(m.parts, fmt.Sprintf("process: '${%s}'", writer))
	}
	m.event = kind
	m.parts = append(m.parts, fmt.Sprintf("%s: %s, %s: '${%s}'", kind, g.messageType(k, m), key, peer))
	if id := g.messageName(k, m); id != "" && g.bold.names {
		sender := map[string]string{"send": "process", "receive": peer}[kind]
		m.parts = append(m.parts, fmt.Sprintf("message: '${%s}/${%s}'", sender, id))
	}
	if m.term != "" {
		m.parts = append(m.parts, fmt.Sprintf("term: '${%s}'", m.term))
	}
	return true
}

// endOf returns whether the lines are sends or receives, or "" for neither. A field decides rather than the words.
func (g *guesser) endOf(k *sort) string {
	if g.acts {
		return g.endsSpan(k.act)
	}
	return k.verb
}

// endsSpan returns whether a value of the act field means a send or a receive, or "".
func (g *guesser) endsSpan(act string) string {
	switch act = strings.ToLower(act); {
	case sendActs[act]:
		return "send"
	case receiveActs[act]:
		return "receive"
	}
	return ""
}

// isPeer reports whether a value may be the name of a process.
func isPeer(v string) bool {
	return v != "" && len(v) <= 64 && !strings.ContainsAny(v, " \t") && !roleWords[strings.ToLower(v)]
}

// peerAfter finds the process after a preposition, or after an arrow at the beginning of the line, and names its
// token. The word must be, or look like, a process.
func (k *sort) peerAfter(m *meaning, preposition string) bool {
	for i, t := range k.tokens {
		if _, taken := m.groups[i]; taken || !t.value || t.role || t.typ || !processName().MatchString(t.core) ||
			!digits().MatchString(t.core) && !t.process || k.counts(i) {
			continue
		}
		// "to n2" and "to=n2" both name the peer.
		before := i > 0 && t.lead == "" && peerLeads[k.tokens[i-1].lower()] == preposition
		keyed := t.key() == preposition || t.key() != "" && rank(t.key(), peerFields) >= 0
		if before || keyed {
			m.groups[i] = preposition
			return true
		}
	}
	return false
}

// messageType returns the type of the messages, as a value for a mapping.
func (g *guesser) messageType(k *sort, m *meaning) string {
	if field := g.field(k, typeFields, func(v string) bool { return v != "" }); field != "" {
		return "'${" + field + "}'"
	}
	var list []string
	verb := false
	for i, t := range k.tokens {
		if t.typ {
			m.groups[i] = "type"
			return "'${type}'"
		}
		word := t.lower()
		// The type is between the verb and the peer: "sent append entries to n2".
		if verb && peerLeads[word] != "" {
			break
		}
		if verb && !t.value && m.groups[i] == "" && !fillers[word] && plainWord().MatchString(t.core) {
			list = append(list, t.core)
		}
		verb = verb || sendVerbs[word] || receiveVerbs[word]
	}
	if len(list) == 0 {
		return "message"
	}
	return quoted(strings.Join(list[:min(len(list), 3)], " "))
}

// messageName returns the field that identifies messages, or "". In text it is a number such as #7 or id=7.
func (g *guesser) messageName(k *sort, m *meaning) string {
	if field := g.field(k, idFields, func(v string) bool { return v != "" }); field != "" {
		return field
	}
	for i, t := range k.tokens {
		if _, taken := m.groups[i]; !taken && t.value && !t.process && t.key() != "" && rank(t.key(), idFields) >= 0 {
			m.groups[i] = "id"
			return "id"
		}
	}
	return ""
}
