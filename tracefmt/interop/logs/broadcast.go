package logs

import (
	"slices"
	"strings"
)

// castVerbs are words by which a process broadcasts a message, deliverVerbs those by which it delivers one.
var (
	// castVerbs are verbs for broadcasting a message, and deliverVerbs verbs for delivering one.
	castVerbs    = words("broadcast broadcasts broadcasted broadcasting bcast rbcast abcast rbroadcast abroadcast")
	deliverVerbs = words("deliver delivers delivered delivering rdeliver adeliver")
	castFields   = slices.Concat([]string{"m", "msg", "message"}, idFields)
)

// castKind returns the note for lines about a broadcast message, or "".
func (k *sort) castKind() string {
	word := strings.ToLower(k.act)
	if !castVerbs[word] && !deliverVerbs[word] && len(k.tokens) > 0 {
		word = k.tokens[0].lower()
	}
	switch {
	case castVerbs[word]:
		return "broadcast"
	case deliverVerbs[word]:
		return "deliver"
	}
	return ""
}

// castMessage returns the token that names the broadcast message: the token with a key for it, or the first after the
// verb. If a field names the message, place is -1. If nothing does, field is also "".
func (g *guesser) castMessage(k *sort) (place int, field string) {
	next := -1
	for i, t := range k.tokens {
		switch {
		// A name or the type of a message is not its identity.
		case t.process || !t.value || t.typ:
		case t.key() != "" && rank(t.key(), castFields) >= 0:
			return i, ""
		case next < 0 && i > 0 && t.key() == "" && (castVerbs[k.tokens[i-1].lower()] || deliverVerbs[k.tokens[i-1].lower()] ||
			fillers[k.tokens[i-1].lower()]):
			next = i
		}
	}
	if next >= 0 {
		return next, ""
	}
	return -1, g.field(k, castFields, func(v string) bool { return v != "" })
}

// broadcasts reports whether some lines deliver messages that other lines broadcast.
func (g *guesser) broadcasts(sorts []*sort) bool {
	names := map[string]map[string]bool{"broadcast": {}, "deliver": {}}
	for _, k := range sorts {
		kind := k.castKind()
		if kind == "" {
			continue
		}
		place, field := g.castMessage(k)
		for _, rec := range k.samples {
			name := rec.fields[field]
			if place >= 0 {
				name = newSort(rec, g.shape.msg, g.roles).tokens[place].core
			}
			names[kind][name] = name != ""
		}
	}
	for name, named := range names["deliver"] {
		if named && names["broadcast"][name] {
			return true
		}
	}
	return false
}

// cast is the sense that the writer broadcasts or delivers a message.
func (g *guesser) cast(k *sort, m *meaning) bool {
	kind := k.castKind()
	if !g.casts || kind == "" || k.unreal() {
		return false
	}
	place, name := g.castMessage(k)
	switch {
	case place >= 0:
		m.groups[place], name = "m", "m"
	case name == "":
		return false
	}
	fields := "m: '${" + name + "}'"
	if kind == "deliver" {
		// A sender by another name than that of its lines would be a stranger.
		if sender := g.field(k, fromFields, g.isName); sender != "" {
			fields += ", sender: '${" + sender + "}'"
		} else if slices.ContainsFunc(k.tokens, func(t token) bool { return t.process }) && k.peerAfter(m, "from") {
			fields += ", sender: '${from}'"
		}
	}
	note(kind)(g, k, m)
	m.parts = append(m.parts, "fields: {"+fields+"}")
	return true
}
