package mapping

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// A log may be of several groups of processes, each with leaders and terms of its own, such as the shards of a
// database.

var (
	groupFields = []string{
		"group", "groupid", "raftgroup", "raftgroupid", "shard", "shardid", "partition", "partitionid", "range",
		"rangeid", "tablet", "tabletid", "region", "regionid",
	}
	groupValue = text.Pattern(`(?i)^(?:raft[ _-]?)?(?:group|shard|partition|range|tablet|region)[\s:=#_-]*\w+$`)
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
	for _, key := range keys {
		if key == r.process || key == s.shape.msg || len(s.values(key)) < 2 {
			continue
		}
		groups, several, conflict := make(map[string]string), false, false // by process
		leaders := make(map[string][2]string)                              // by term the group and the process
		complete := true
		for _, rec := range s.records {
			k := newSort(rec, s.shape.msg, r)
			leads, claims := s.claimsRole(k, r)
			group, process := rec.fields[key], s.processOf(rec, r)
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
			}
		}
		switch {
		case !complete:
		case several:
			r.group = key
			return
		case conflict && !strings.HasPrefix(plainKey(key), "region"):
			r.ungrouped = fmt.Sprintf("groups: processes of different %s lead in one term; no rule takes their roles; "+
				"a mapping has runs: '${%[1]s}' if each leads its own", text.Printable(key))
		}
	}
}

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
