package spec

import (
	"slices"
	"strings"

	"etrace/tracefmt"
)

// keyed returns the split of a rule by the key of its events; texts are its parts in words.
func keyed(texts []string, s side) *split {
	if len(texts) == 0 {
		return noSplit("all events are of one key")
	}
	return &split{key: strings.Join(texts, ", "), sides: []side{s}}
}

// split returns the split of a rule of several patterns. Its key is what all events of a chain share: the fields
// that the rule equates between each event and the one before it, and between the release and the first event.
func (p *pairMonitor) split(chain []*pairing, release *pairing, within tracefmt.Time) *split {
	made := &split{timed: within != forEver, sides: []side{{
		kinds: p.trigger.kinds, matches: p.trigger.matches,
		allEvents: true,
	}}}
	for _, j := range chain {
		made.sides = append(made.sides, side{kinds: j.matcher.kinds, matches: j.matcher.matches})
	}
	if release != nil {
		made.sides = append(made.sides, side{kinds: release.matcher.kinds, matches: release.matcher.matches})
	}
	var words []string
	for i, text := range chain[0].texts {
		common, ok := commonFields(text, i, chain, release)
		if !ok {
			continue
		}
		made.sides[0].key = append(made.sides[0].key, chain[0].first[i])
		for k, part := range common {
			made.sides[k+1].key = append(made.sides[k+1].key, part)
		}
		words = append(words, strings.TrimPrefix(text[0], p.trigger.name+"."))
	}
	switch {
	case words != nil:
	case release != nil && release.matcher.kinds&^statusKinds == 0:
		// Such events are few, so all parts can receive them.
		made = p.split(chain, nil, within)
		made.sides = append(made.sides, side{
			kinds: release.matcher.kinds, matches: release.matcher.matches,
			shared: true,
		})
		return made
	case release != nil && p.split(chain, nil, within).unsplittable == "":
		return noSplit("what follows unless does not have the key that its other patterns share")
	default:
		return noSplit("its patterns share no key")
	}
	made.key = strings.Join(words, ", ")
	return made
}

// statusKinds are the kinds of events that change the status of a process.
var statusKinds = setOf([]tracefmt.Kind{tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt})

// commonFields returns the expressions in each further event of a chain that equal a part of the first key; ok is false
// if one event has none.
func commonFields(text [2]string, part int, chain []*pairing, release *pairing) (common []eval, ok bool) {
	equalTexts, common := text[:], []eval{chain[0].second[part]}
	for _, j := range chain[1:] {
		index := slices.IndexFunc(j.texts, func(pair [2]string) bool { return slices.Contains(equalTexts, pair[0]) })
		if index < 0 {
			return nil, false
		}
		equalTexts, common = append(equalTexts[:len(equalTexts):len(equalTexts)], j.texts[index][1]),
			append(common, j.second[index])
	}
	if release == nil {
		return common, true
	}
	index := slices.IndexFunc(release.texts, func(pair [2]string) bool { return pair[0] == text[0] })
	if index < 0 {
		return nil, false
	}
	return append(common, release.second[index]), true
}
