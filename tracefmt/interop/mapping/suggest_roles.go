package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// roles are what the fields of a log are for; "" for none.
type roles struct {
	process string         // the field, or "file"
	prefix  string         // that all processes have in common in it
	cut     *regexp.Regexp // of that field, nil where all of it is the process
	names   map[string]bool
	time    string
	layout  string
	// Of messages.
	from, to, peer, typ, id string
	// act is a field that says what the line is about beside its words: send, receive.
	act string
	// acts: it says which lines are ends of messages.
	acts bool
	// term is the field of the term.
	term string
}

// The fields that are called so in most logs.
var (
	processKeys = []string{"node", "process", "proc", "self", "me", "nodeId", "node_id", "nodeID", "node.id", "node.name", "server", "server_id", "serverId", "replica", "member", "peer_id", "raft-id", "instance", "host.name", "service.name", "actor", "logger", "name", "host", "hostname", "id", "@module", "pid"}
	momentKeys  = []string{"time", "ts", "timestamp", "@timestamp", "t", "t.$date", "at", "datetime", "date"}
	fromKeys    = []string{"from", "src", "source", "sender", "msg.src", "from_id", "fromId"}
	toKeys      = []string{"to", "dst", "dest", "destination", "target", "receiver", "recipient", "msg.dest", "to_id", "toId"}
	peerKeys    = []string{"peer", "remote", "other", "peerId", "peer_id"}
	typeKeys    = []string{"msg_type", "msgType", "message_type", "messageType", "msgtype", "type", "kind", "rpc", "msg.body.type"}
	idKeys      = []string{"msg_id", "msgId", "msgid", "message_id", "messageId", "mid", "id", "uuid", "seqno"}
	actKeys     = []string{"event", "dir", "direction", "action", "op", "act", "kind", "fields.event"}
	termKeys    = []string{"term", "epoch", "ballot", "currentTerm", "current_term", "view"}
)

// rename gives a group of the head another name.
func (s *sample) rename(from, to string) {
	s.layout.match = strings.Replace(s.layout.match, "(?<"+from+">", "(?<"+to+">", 1)
	for i, g := range s.layout.groups {
		if g == from {
			s.layout.groups[i] = to
		}
	}
	for _, r := range s.records {
		if v, ok := r.fields[from]; ok {
			r.fields[to] = v
		}
	}
}

// values returns the values of a field.
func (s *sample) values(key string) map[string]bool {
	all := make(map[string]bool)
	for _, r := range s.records {
		if v, ok := r.fields[key]; ok {
			all[v] = true
		}
	}
	return all
}

// first returns the first of the keys that any line has, and that is not taken.
func (s *sample) first(keys []string, taken ...string) string {
	for _, key := range keys {
		if !slices.Contains(taken, key) && s.having(key) > 0 {
			return key
		}
	}
	return ""
}

// roles finds out what the fields are for.
func (s *sample) roles() *roles {
	r := new(roles)
	r.time, r.layout = s.timeField()
	if s.layout.form != "text" {
		r.from, r.to, r.peer = s.first(fromKeys), s.first(toKeys), s.first(peerKeys)
		r.typ, r.term = s.first(typeKeys), s.first(termKeys)
		if r.act = s.first(actKeys, s.layout.msg, r.typ); r.act != "" && len(s.values(r.act)) > 40 {
			r.act = ""
		}
		for v := range s.values(r.act) {
			r.acts = r.acts || sendActs.MatchString(v) || receiveActs.MatchString(v)
		}
	}
	if r.process = s.processField(r); s.layout.form == "text" && r.process != "file" {
		s.rename(r.process, "node")
		r.process = "node"
	}
	if s.layout.form != "text" {
		r.id = s.first(idKeys, r.process)
	}
	r.names = s.values(r.process)
	if r.process == "file" {
		for _, f := range s.records {
			r.names[f.file] = true
		}
	}
	r.prefix = shared(r.names)
	switch {
	case r.process == "file":
		r.prefix = ""
	case r.prefix != "":
		r.cut = regexp.MustCompile("^" + regexp.QuoteMeta(r.prefix) + `(?<process>.*)`)
	case dotted(r.names):
		r.cut = regexp.MustCompile(`^(?<process>[^.]+)`)
	}
	names := make(map[string]bool)
	for name := range r.names {
		names[r.name(name)] = true
	}
	r.names = names
	return r
}

// name is the process of which a field says so.
func (r *roles) name(value string) string {
	if r.cut != nil {
		if at := r.cut.FindStringSubmatch(value); at != nil {
			return at[1]
		}
	}
	return value
}

// dotted reports whether some of the names have parts of others after a dot: n1 and n1.raft.
func dotted(names map[string]bool) bool {
	for name := range names {
		if whole, _, ok := strings.Cut(name, "."); ok && names[whole] {
			return true
		}
	}
	return false
}

// timeField returns the field of the time and its layout, "" where there is none.
func (s *sample) timeField() (key, layout string) {
	if s.layout.form == "text" {
		if s.layout.fixed != "" {
			return "time", s.layout.fixed
		}
		return "", ""
	}
	for _, key := range momentKeys {
		if values := s.values(key); len(values) > 0 {
			if layout := layoutOf(values); layout != "" {
				return key, layout
			}
		}
	}
	return "", ""
}

// processField is the field with the name of the process, or "file".
func (s *sample) processField(r *roles) string {
	best, most := "file", 0
	peers := s.peers(r)
	for i, key := range s.processKeys() {
		values := s.values(key)
		if len(values) == 0 || len(values) > 64 || 2*s.having(key) < len(s.records) || key == r.from || key == r.to {
			continue
		}
		score := 1
		if s.layout.form != "text" {
			score += max(0, 10-i)
		}
		if len(values) > 1 && len(s.files) == 1 {
			score += 5
		}
		prefix, named := shared(values), true
		hits := 0
		for v := range values {
			named = named && endsInDigit.MatchString(v)
			if peers[strings.TrimPrefix(v, prefix)] {
				score += 20
				hits++
			}
			if endsInDigit.MatchString(v) {
				score++
			}
		}
		if s.layout.form == "text" && hits == 0 && !named {
			continue // a thread, or a part of the program
		}
		if len(s.files) > 1 && len(values) == 1 || key == "pid" && score < 20 || onlyLevels(values) {
			continue
		}
		if score > most {
			best, most = key, score
		}
	}
	return best
}

var endsInDigit = regexp.MustCompile(`\d$`)

func onlyLevels(values map[string]bool) bool {
	for v := range values {
		if !levelWord.MatchString(v) {
			return false
		}
	}
	return true
}

var levelWord = regexp.MustCompile(`^` + levelPattern + `$`)

// processKeys are the fields that may name the process: of text all of the head.
func (s *sample) processKeys() []string {
	if s.layout.form != "text" {
		return processKeys
	}
	return slices.DeleteFunc(slices.Clone(s.layout.groups), func(g string) bool { return g == "time" || g == "level" })
}

// peers are the words that come after to and from, and the values of such fields.
func (s *sample) peers(r *roles) map[string]bool {
	all := make(map[string]bool)
	for _, rec := range s.records {
		for _, key := range []string{r.from, r.to, r.peer} {
			if v := rec.fields[key]; v != "" {
				all[v] = true
			}
		}
		for _, at := range afterPreposition.FindAllStringSubmatch(head400(rec.fields[s.layout.msg]), 4) {
			all[at[1]] = true
		}
	}
	return all
}

var afterPreposition = regexp.MustCompile(`\b(?:to|from|for|is|->|by)\s+([A-Za-z0-9][\w.@:-]*\w|\w)`)

// head400 is the beginning of a text.
func head400(s string) string { return s[:min(len(s), 400)] }

// shared is what all of the names begin with, up to a sign such as a dot; "" for a single one.
func shared(names map[string]bool) string {
	if len(names) < 2 {
		return ""
	}
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.SortFunc(all, cmp.Compare)
	first, last := all[0], all[len(all)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return first[:strings.LastIndexAny(first[:n], ".:/")+1]
}
