package modelcheck

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// baseName returns a name without its modules and instances.
func baseName(name string) string {
	for _, mark := range []string{"::", "!"} {
		if i := strings.LastIndex(name, mark); i >= 0 {
			name = name[i+len(mark):]
		}
	}
	return name
}

// runNames returns the names of variables in the run, by full name: without modules if that is unique.
func runNames(variables []named) map[string]string {
	count := make(map[string]int)
	for _, v := range variables {
		count[baseName(v.name)]++
	}
	names := make(map[string]string, len(variables))
	for _, v := range variables {
		names[v.name] = v.name
		if count[baseName(v.name)] == 1 {
			names[v.name] = baseName(v.name)
		}
	}
	return names
}

// resolve replaces the names of variables in the mapping by the names in the run. It fails for an unknown
// variable.
func (m *meaning) resolve(names map[string]string) error {
	var known []string
	for _, name := range names {
		known = append(known, name)
	}
	slices.Sort(known)
	places := []*string{}
	for i := range m.process {
		places = append(places, &m.process[i])
	}
	for i := range m.ignore {
		places = append(places, &m.ignore[i])
	}
	if m.network != nil && m.network.set != "" {
		places = append(places, &m.network.set)
	}
	if len(m.action) > 0 {
		places = append(places, &m.action[0])
	}
	for _, place := range places {
		if full, ok := names[*place]; ok {
			*place = full
		}
		if !slices.Contains(known, *place) {
			return fmt.Errorf("--variables: %w", text.Unknown("variable", *place, known))
		}
	}
	return nil
}

// guessProcessMaps returns the variables that seem to be maps from processes: several maps with the same keys, or one map
// whose values are records. If the format writes records and functions alike (loose), a record counts as a map.
func guessProcessMaps(variables []named, loose bool) []string {
	groups := make(map[string][]string)
	var order []string
	for _, v := range variables {
		if !isMap(&v.value, loose) {
			continue
		}
		keys := v.value.names()
		if len(groups[keys]) == 0 {
			order = append(order, keys)
		}
		groups[keys] = append(groups[keys], v.name)
	}
	var best []string
	for _, keys := range order {
		group := groups[keys]
		if len(group) == 1 && !mapsToRecords(variables, group[0]) {
			continue
		}
		if len(group) > len(best) {
			best = group
		}
	}
	return best
}

// isMap reports whether a value may be a map from processes.
func isMap(v *value, loose bool) bool {
	if v.kind != table && (!loose || v.kind != record) {
		return false
	}
	return len(v.keys()) > 0 && !slices.ContainsFunc(v.keys(), func(k value) bool { return k.kind != atom })
}

// mapsToRecords reports whether all values of a variable are records with the same fields.
func mapsToRecords(variables []named, name string) bool {
	i := slices.IndexFunc(variables, func(v named) bool { return v.name == name })
	items := variables[i].items()
	return !slices.ContainsFunc(items, func(v value) bool { return v.kind != record || len(v.keys()) == 0 || v.names() != items[0].names() })
}
