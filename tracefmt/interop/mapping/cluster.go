package mapping

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/envelope"
)

// The files of one import may be of several clusters, each with leaders and terms of its own. A mapping says what names
// the cluster of a process. If the first lines name several clusters, each is a run, see course.

// clusters has the cluster of each name or member. Without clusters, each name is its own.
type clusters map[string]string

// find returns the cluster that a value names, or "". Lists of members with a common member name one cluster.
func (c clusters) find(value string) string {
	if c == nil {
		return value
	}
	names := listed("=" + value)
	if names == nil {
		names = []string{strings.Trim(value, "[]{}()")}
	}
	cluster := strings.Join(names, ", ")
	if known := slices.IndexFunc(names, func(name string) bool { return c[name] != "" }); known >= 0 {
		cluster = c[names[known]]
	}
	for _, name := range names {
		if merged := c[name]; merged != "" && merged != cluster {
			for member, former := range c {
				if former == merged {
					c[member] = cluster
				}
			}
		}
		c[name] = cluster
	}
	return cluster
}

// findClusters finds the clusters in the first lines of the files, and whether a process has lines of several. One
// cluster separates no runs.
func (l *log) findClusters(heads [][]byte) {
	l.runs = l.Map.runs
	if l.cluster == nil || l.form.line == nil {
		return
	}
	found, named := make(clusters), make(map[string][]string) // by process
	r := newReader(l.Map)
	for i, head := range heads {
		peel := l.layers.Peeler()
		for line := range bytes.Lines(head[:bytes.LastIndexByte(head, '\n')+1]) {
			out := peel(envelope.PlainLine(line))
			r.element(1, plain{Line: out}, nil)
			if value, ok := l.cluster.text(r.rec); ok && found.find(value) != "" {
				process, _ := l.process.text(r.rec)
				process = cmp.Or(process, out.Source, strconv.Itoa(i))
				named[process] = append(named[process], value)
			}
		}
	}
	distinct := make(map[string]bool)
	for _, values := range named {
		first := found.find(values[0])
		for _, value := range values {
			distinct[found.find(value)] = true
			l.several = l.several || found.find(value) != first
		}
	}
	if len(distinct) > 1 {
		l.runs, l.clusters = l.cluster, found
	}
}

// ofOneRun reports whether a rule is about one run. A process starts and ends in all of its runs.
func (r *rule) ofOneRun() bool {
	return slices.ContainsFunc(r.events, func(h happening) bool {
		return !slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt}, h.kind)
	})
}

// unplace notes that the events of a rule may belong to the run.
func (l *log) unplace(r *rule, c *course) {
	for i := range r.events {
		c.builder.Unplaced("", r.events[i].facts(l.payload(r.events[i].fields))...)
	}
}
