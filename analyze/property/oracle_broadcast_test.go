package property_test

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

func (o oracle) broadcasts() bool {
	for k := range o.events {
		if o.isNote(k, "broadcast") || o.isNote(k, "deliver") {
			return true
		}
	}
	return false
}

// isDelivery reports whether a process that takes part delivers a message at k.
func (o oracle) isDelivery(k int) bool {
	return o.isNote(k, "deliver") && !o.aside(o.events[k].Process)
}

func (o oracle) speaksOfBroadcast(k int) bool {
	return o.isNote(k, "broadcast") || o.isNote(k, "deliver")
}

func (o oracle) messageOf(k int) string {
	id, _ := o.events[k].Field("m")
	return string(id)
}

// sent returns where a message is broadcast, -1 if nowhere.
func (o oracle) sent(id string) int {
	for k := range o.events {
		if o.isNote(k, "broadcast") && o.messageOf(k) == id {
			return k
		}
	}
	return -1
}

// delivers returns where p delivers a message first, -1 if nowhere.
func (o oracle) delivers(p tracefmt.ProcessID, id string) int {
	for k, e := range o.events {
		if e.Process == p && o.isDelivery(k) && o.messageOf(k) == id {
			return k
		}
	}
	return -1
}

// ids are the messages that are broadcast or delivered.
func (o oracle) ids() (list []string) {
	for k := range o.events {
		if (o.isNote(k, "broadcast") || o.isDelivery(k)) && !slices.Contains(list, o.messageOf(k)) {
			list = append(list, o.messageOf(k))
		}
	}
	return list
}

func (o oracle) broadcastValidity() (wrong, examined int) {
	for _, id := range o.ids() {
		if b := o.sent(id); b >= 0 && slices.Contains(o.correct(o.speaksOfBroadcast), o.events[b].Process) {
			examined++
			if o.delivers(o.events[b].Process, id) < 0 {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) broadcastDuplication() (wrong, examined int) {
	for k, e := range o.events {
		if o.isDelivery(k) {
			if o.delivers(e.Process, o.messageOf(k)) == k {
				examined++
			} else {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) broadcastCreation() (wrong, examined int) {
	for k, e := range o.events {
		if !o.isDelivery(k) {
			continue
		}
		b := o.sent(o.messageOf(k))
		sender, ok := e.Field("sender")
		if p := o.choice(strings.Trim(string(sender), `"`)); p != 0 && o.aside(p) {
			continue
		}
		examined++
		if b < 0 || b > k || ok && strings.Trim(string(sender), `"`) != o.run.ProcessName(o.events[b].Process) {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) broadcastAgreement() (wrong, examined int) {
	for _, id := range o.ids() {
		missing := slices.DeleteFunc(o.correct(o.speaksOfBroadcast), func(p tracefmt.ProcessID) bool { return o.delivers(p, id) >= 0 })
		if len(missing) < len(o.correct(o.speaksOfBroadcast)) {
			examined++
			wrong += len(missing)
		}
	}
	return wrong, examined
}

func (o oracle) broadcastAgreementOpen() bool {
	wrong, examined := o.broadcastAgreement()
	return examined > 0 && o.possiblyCorrect(wrong, o.speaksOfBroadcast)
}

func (o oracle) broadcastUniformAgreementOpen() bool {
	wrong, examined := o.broadcastUniformAgreement()
	return examined > 0 && o.possiblyCorrect(wrong, o.speaksOfBroadcast)
}

func (o oracle) broadcastUniformAgreement() (wrong, examined int) {
	for _, id := range o.ids() {
		if !slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return o.delivers(p, id) >= 0 }) {
			continue
		}
		examined++
		for _, p := range o.correct(o.speaksOfBroadcast) {
			if o.delivers(p, id) < 0 {
				wrong++
			}
		}
	}
	return wrong, examined
}

// ordered counts first deliveries of messages broadcast before, and the deliveries that lack a message that must come
// first.
func (o oracle) ordered(first func(b int) []int) (wrong, examined int) {
	for k, e := range o.events {
		b := o.sent(o.messageOf(k))
		if !o.isDelivery(k) || o.delivers(e.Process, o.messageOf(k)) != k || b < 0 || b > k {
			continue
		}
		examined++
		if slices.ContainsFunc(first(b), func(c int) bool {
			d := o.delivers(e.Process, o.messageOf(c))
			return d < 0 || d > k
		}) {
			wrong++
		}
	}
	return wrong, examined
}

// earlier are the broadcasts of the same process before that at b.
func (o oracle) earlier(b int) (list []int) {
	for i := range b {
		if o.isNote(i, "broadcast") && o.events[i].Process == o.events[b].Process {
			list = append(list, i)
		}
	}
	return list
}

// causes are the broadcasts that may have caused that at b.
func (o oracle) causes(b int) []int {
	list := map[int]bool{}
	add := func(c int) {
		list[c] = true
		for _, d := range o.causes(c) {
			list[d] = true
		}
	}
	for _, c := range o.earlier(b) {
		add(c)
	}
	for i := range b {
		c := o.sent(o.messageOf(i))
		if o.isNote(i, "deliver") && o.events[i].Process == o.events[b].Process &&
			o.delivers(o.events[i].Process, o.messageOf(i)) == i && c >= 0 && c < i {
			add(c)
		}
	}
	return slices.Collect(maps.Keys(list))
}

func (o oracle) broadcastFIFO() (wrong, examined int)   { return o.ordered(o.earlier) }
func (o oracle) broadcastCausal() (wrong, examined int) { return o.ordered(o.causes) }

func (o oracle) broadcastTotal() (wrong, examined int) {
	for k, e := range o.events {
		if !o.isDelivery(k) || o.delivers(e.Process, o.messageOf(k)) != k {
			continue
		}
		examined++
		for _, q := range o.processes() {
			right := o.delivers(q, o.messageOf(k))
			// A pair counts at the later of the two deliveries, as the monitor counts it.
			if q == e.Process || right < 0 || right > k {
				continue
			}
			if slices.ContainsFunc(o.ids(), func(id string) bool {
				left, also := o.delivers(e.Process, id), o.delivers(q, id)
				return 0 <= left && left < k && right < also && also < k
			}) {
				wrong++
			}
		}
	}
	return wrong, examined
}
