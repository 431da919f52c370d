package logs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

// A log may be of several groups of processes, each with leaders and terms of its own, such as the shards of a
// database.

var (
	groupFields = []string{
		"group", "groupid", "raftgroup", "raftgroupid", "shard", "shardid", "partition", "partitionid", "range",
		"rangeid", "tablet", "tabletid", "region", "regionid", "tenant", "tenantid", "cluster", "clusterid", "clustername",
		"vnode", "keyspace", "database", "db",
	}
	// groupNouns are words before the name of a group in a sentence, as in "shard 4: became leader".
	groupNouns = words("group shard partition range tablet region vnode keyspace")
	groupValue = text.Pattern(`(?i)^(?:raft[ _-]?)?(?:group|shard|partition|range|tablet|region|tenant|cluster)[\s:=#_-]*\w+$`)
	// ofProcess are keys of what describes a process or an event.
	ofProcess = words("port url endpoint listen bind advertise build commit release arch os platform zone rack " +
		"reason cause trigger")
	// beforeGroup matches what is before a noun for groups: n1@group-7 is the name of a process.
	beforeGroup = `(?:^|[\s\[(<{,;])`
	// pairInText matches key=value within a sentence, and a noun for groups with a value.
	pairInText = text.Pattern(`(?:\b([A-Za-z][\w.-]*)=["']?|` + beforeGroup + `((?i:` +
		strings.Join(slices.Sorted(maps.Keys(groupNouns)), "|") +
		`))[ :#-]+["'\[]?)([\w./-]*\w)`)
	// subjectInText matches a noun with a name before a colon at the beginning of a sentence, as in "queue orders: became leader".
	subjectInText = text.Pattern(`^([A-Za-z]+) ["'\[]?([\w./-]*\w)["'\]]?:\s`)
	nameParts     = text.Pattern(`[\w-]+`)
	quantity      = text.Pattern(`^(?:[-+.,:/\d]+[a-zA-Zµ%]{0,3}|\d{4}-\d\d-\d\d.*)$`)
	// countKey matches keys whose numbers count or measure.
	countKey = text.Pattern(`(?i)(?:votes?|index|count|num|size|len|length|total|ms|millis|sec|secs|seconds|time|took|latency|bytes|peers|` +
		`nodes|members|servers|replicas|quorum|majority|needed|required|offset|applied|committed|commit|lsn|uptime|priority|weight|version|` +
		`attempts?|retries|acks?|entries|lag|seq|seed|id|pid|port|generation|incarnation|of)$`)
	// groupless are fields for the name of a process, without the fields that several processes often share.
	groupless = slices.DeleteFunc(slices.Clone(processFields), func(key string) bool {
		return strings.HasPrefix(key, "service") || key == "app"
	})
)

// findGroup finds the field with the group of each claim. A process in several groups shows that they are groups and
// not places of the processes. If no process is in several, and two groups have leaders of one term, the field may be
// either: no claim counts.
func (s *sample) findGroup(r *roles) {
	keys := s.ranked(groupFields)
	for _, key := range s.shape.groups {
		if s.namesGroups(key) {
			keys = append(keys, key)
		}
	}
	inText := s.findPairs(r)
	for _, key := range inText {
		if rank(key, groupFields) >= 0 {
			keys = append(keys, key)
		}
	}
	usual := len(keys)
	for _, key := range slices.Concat(s.shape.keys, inText) {
		if !slices.Contains(s.shape.groups, key) && !slices.Contains(keys, key) && s.isCategory(key) {
			keys = append(keys, key)
		}
	}
	for i, key := range keys {
		if key == r.process || key == s.shape.msg || len(s.values(key)) < 2 {
			continue
		}
		groups, several, conflict := make(map[string]string), false, false // by process
		leaders := make(map[string][2]string)                              // by term the group and the process
		leading := make(map[string]bool)                                   // by process
		complete := true
		for _, rec := range s.records {
			k := newSort(rec, s.shape.msg, r)
			leads, claims := s.claimsRole(k, r)
			group, process := rec.value(key), s.processOf(rec, r)
			if !claims || process == "" {
				continue
			}
			complete = complete && group != ""
			several = several || groups[process] != "" && groups[process] != group
			groups[process] = group
			if term := s.writtenTerm(k, r); leads {
				past, led := leaders[term]
				conflict = conflict || led && past[0] != group && past[1] != process
				leaders[term] = [2]string{group, process}
				leading[process] = true
			}
		}
		switch {
		case !complete && !(conflict && i < usual), i >= usual && !(conflict && s.hasMembers(key, r, leading)):
		case complete && several && i < usual:
			r.group = key
			if slices.Contains(inText, key) {
				before, sign := `\b`, "="
				keyed := slices.ContainsFunc(s.records, func(rec *sampled) bool { return strings.Contains(rec.fields[s.shape.msg], key+"=") })
				if groupNouns[strings.ToLower(key)] || !keyed {
					before, sign = beforeGroup, `[ :#=-]+`
				}
				r.group, r.groupMark = "run", before+regexp.QuoteMeta(key)+sign+`["'\[]?(?<run>[\w./-]*\w)`
			}
			return
		case conflict:
			r.ungrouped = fmt.Sprintf("groups: processes of different %s lead in one term; no rule takes their roles; "+
				"a mapping has runs: '${%[1]s}' if each leads its own", text.Printable(key))
		}
	}
}

// findPairs notes key=value within the sentences about roles, and returns the keys.
func (s *sample) findPairs(r *roles) (keys []string) {
	for _, rec := range s.records {
		words := rec.fields[s.shape.msg]
		if _, claims := s.claimsRole(newSort(rec, s.shape.msg, r), r); !claims {
			continue
		}
		found := pairInText().FindAllStringSubmatch(words, -1)
		if at := subjectInText().FindStringSubmatch(words); at != nil && !processNouns[strings.ToLower(at[1])] {
			found = append(found, []string{at[0], at[1], "", at[2]})
		}
		for _, at := range found {
			key := cmp.Or(at[1], at[2])
			if slices.Contains(s.shape.keys, key) || rank(key, mapping.TermFields) >= 0 || roleWords[strings.ToLower(at[3])] {
				continue
			}
			if rec.pairs == nil {
				rec.pairs = make(map[string]string)
			}
			rec.pairs[key] = at[3]
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// value returns the value of a field, or of a key within the sentence.
func (rec *sampled) value(key string) string { return cmp.Or(rec.fields[key], rec.pairs[key]) }

// isCategory reports whether a field without a usual name for groups can name them. Quantities, outcomes, roles and what
// describes a process or an event do not.
func (s *sample) isCategory(key string) bool {
	plain := plainKey(key)
	if ofProcess[plain] || !s.hasNoPurpose(key) && !lockKeys[plain] || slices.Contains(groupless, plain) {
		return false
	}
	for value := range s.values(key) {
		word := strings.ToLower(value)
		// A whole number may be that of a group, unless its key counts or measures.
		numbered := number().MatchString(value) && !countKey().MatchString(key)
		if quantity().MatchString(value) && !numbered || roleWords[word] || goodOutcomes[word] || badOutcomes[word] {
			return false
		}
	}
	return true
}

// hasMembers reports whether the values of a field have members as groups have: several processes share one, or each
// process leads alone in its own. A value that only one process has, which never leads, is of the process, such as
// its host. The name of a process is, too.
func (s *sample) hasMembers(key string, r *roles, leading map[string]bool) bool {
	member, value := make(map[string]string), make(map[string]string)
	alone := true
	for _, rec := range s.records {
		process, group := s.processOf(rec, r), rec.value(key)
		if process == "" || group == "" {
			continue
		}
		if slices.ContainsFunc(nameParts().FindAllString(group, -1), func(part string) bool { return r.names[part] }) {
			return false // the processes of a quorum
		}
		if member[group] != "" && member[group] != process {
			return true
		}
		alone = alone && leading[process] && (value[process] == "" || value[process] == group)
		member[group], value[process] = process, group
	}
	return alone
}

// findUnreadTerm notes that lines about leaders have a term that is not read. Without their terms, leaders of
// different terms and two leaders of one look alike.
func (s *sample) findUnreadTerm(r *roles) {
	for _, rec := range s.records {
		k := newSort(rec, s.shape.msg, r)
		if leads, _ := s.claimsRole(k, r); !leads || s.processOf(rec, r) == "" || s.writtenTerm(k, r) != "" {
			continue
		}
		unread := termInText().FindString(rec.fields[s.shape.msg])
		for _, key := range s.shape.keys {
			if termKey().MatchString(key) && number().MatchString(rec.fields[key]) {
				unread = key
			}
		}
		for _, group := range s.shape.groups {
			unread = cmp.Or(unread, termInText().FindString(rec.fields[group]))
		}
		if unread != "" {
			r.ungrouped = fmt.Sprintf("terms: %s in a line about a leader may be its term, which is not read; "+
				"no rule takes the roles", text.Quote(unread))
			return
		}
	}
}

var (
	termInText = text.Pattern(`(?i)(?:term|epoch|\bview|\bt)\s*[:=#]*\s*\d+|` +
		`(?:term|epoch|\bview)\b(?: (?:is|now|number|no\.?|of))*.{0,3}\b\d+`)
	termKey = text.Pattern(`(?i)(?:term|epoch|view)$`)
)

// namesGroups reports whether a column of the head names groups, as in [shard-1] and shard 1.
func (s *sample) namesGroups(key string) bool {
	return slices.Contains(groupFields, key) || allMatch(s.values(key), groupValue)
}

// claimsRole reports whether a line is about the role of its writer, and whether that leads.
func (s *sample) claimsRole(k *sort, r *roles) (leads, claims bool) {
	for _, key := range s.ranked(roleFields) {
		if role := strings.ToLower(k.first.fields[key]); roleWords[role] {
			return leaderRoles[role] || role == "leading", true
		}
	}
	if flag := k.flag(); flag != "" {
		return flag == "true", true
	}
	if k.said.kind == noClaim || s.actor(k, r) == "" {
		return false, false
	}
	object := k.said.object
	return k.said.kind == takesRole && (object < 0 || leaderRoles[k.tokens[object].lower()]), k.said.kind != electedIs
}
