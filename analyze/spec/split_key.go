package spec

import (
	"slices"
	"strings"

	"etrace/tracefmt"
)

// keyed is the split of a rule by the key of its events, which texts are in words.
func keyed(texts []string, s side) *split {
	if len(texts) == 0 {
		return whole("all events are of one key")
	}
	return &split{key: strings.Join(texts, ", "), sides: []side{s}}
}

// split is that of a rule of several patterns, by what all events of a chain have in common: each
// has with the one before it what the rule equates, and the release with the first.
func (p *pairMonitor) split(chain []*pairing, release *pairing, within tracefmt.Time) *split {
	made := &split{timed: within != forEver, sides: []side{{kinds: p.trigger.kinds, matches: p.trigger.matches, all: true}}}
	for _, j := range chain {
		made.sides = append(made.sides, side{kinds: j.matcher.kinds, matches: j.matcher.matches})
	}
	if release != nil {
		made.sides = append(made.sides, side{kinds: release.matcher.kinds, matches: release.matcher.matches})
	}
	var words []string
	for i, text := range chain[0].texts {
		common, ok := follow(text, i, chain, release)
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
	case release != nil && release.matcher.kinds&^statusKinds == 0: // few: all parts see all of them
		made = p.split(chain, nil, within)
		made.sides = append(made.sides, side{kinds: release.matcher.kinds, matches: release.matcher.matches, shared: true})
		return made
	case release != nil && p.split(chain, nil, within).whole == "":
		return whole("what follows unless does not have the key that its other patterns share")
	default:
		return whole("its patterns share no key")
	}
	made.key = strings.Join(words, ", ")
	return made
}

// statusKinds are the events that say who is up.
var statusKinds = setOf([]tracefmt.Kind{tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt})

// follow returns what each further event of a chain has in common with the first, by a part of
// the first key.
func follow(text [2]string, part int, chain []*pairing, release *pairing) (common []eval, ok bool) {
	same, common := text[:], []eval{chain[0].second[part]}
	for _, j := range chain[1:] {
		at := slices.IndexFunc(j.texts, func(of [2]string) bool { return slices.Contains(same, of[0]) })
		if at < 0 {
			return nil, false
		}
		same, common = append(same[:len(same):len(same)], j.texts[at][1]), append(common, j.second[at])
	}
	if release == nil {
		return common, true
	}
	at := slices.IndexFunc(release.texts, func(of [2]string) bool { return of[0] == text[0] })
	if at < 0 {
		return nil, false
	}
	return append(common, release.second[at]), true
}
