package mapping_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/readings"
	"etrace/fixtures/size"
	"etrace/tracefmt/interop/mapping"
)

// TestShares: for each ready map and its example, changed at random, an import in shares gives what the import gives.
func TestShares(t *testing.T) {
	ready := readyLogs(t)
	names := mapping.Ready().Names()
	for _, name := range names {
		for n := 1; n <= 4; n++ {
			readings.SameInShares(t, ready[name], name, n)
		}
	}
	size.Check(t, 10, 60, 3000, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "map")
		logs := slices.Clone(ready[name])
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(logs)-1).Draw(t, "file")
			logs[i].Data = changed(t, logs[i].Data)
			if rapid.IntRange(0, 9).Draw(t, "copy") == 0 {
				logs = append(logs, readings.File{Name: fmt.Sprintf("x%d.log", len(logs)), Data: logs[i].Data})
			}
		}
		readings.SameInShares(t, logs, name, rapid.IntRange(1, 7).Draw(t, "shares"))
	})
}

// The maps of TestSharesOfClusters: messages with names, and without; with vector clocks; with keys of causes.
const (
	clusterLines = `
match: '^(?<ts>\S+) (?<server>\S+) (?<clock>\{\S*\}) (?<msg>.*)$'
process: ['${server}']
time: {from: ['${ts}']}
alias: ['${alias}']
members: ['${member}']
carry: [term]
gap:
  - {msg: /^dropped/}
run: {problem: raft}
events:
  - {when: {msg: /^up$/}, start: {}}
  - {when: {msg: /^down$/}, crash: }
  - when: {msg: '/^term (?<term>\d+) (?<role>\w+) votes (?<voted>\w+)$/'}
    state: {role: '${role}', term: '${term}', votedFor: '${voted}'}
  - {when: {msg: '/^calls itself (?<alias>\S+)$/'}, note: named}
  - {when: {msg: '/^adds (?<member>\S+)$/'}, note: adds}
`
	namedMessages = `
  - when: {msg: '/^sent (?<id>\d+) (?<type>\w+) to (?<peer>\S+)$/'}
    send: '${type}'
    to: '${peer}'
    message: '${id}'
    term: '${term}'
  - when: {msg: '/^got (?<id>\d+) (?<type>\w+) from (?<peer>\S+)$/'}
    receive: '${type}'
    from: '${peer}'
    message: '${id}'
    term: '${term}'
`
	namelessMessages = `
  - when: {msg: '/^sent (?<id>\d+) (?<type>\w+) to (?<peer>\S+)$/'}
    send: '${type}'
    to: '${peer}'
    content: x
  - when: {msg: '/^got (?<id>\d+) (?<type>\w+) from (?<peer>\S+)$/'}
    receive: '${type}'
    from: '${peer}'
    content: x
`
	keyedMessages = `
  - when: {msg: '/^sent (?<id>\d+) (?<type>\w+) to (?<peer>\S+)$/'}
    note: '${type}'
    key: '${id}'
  - when: {msg: '/^got (?<id>\d+) (?<type>\w+) from (?<peer>\S+)$/'}
    note: '${type}'
    after: '${id}'
`
)

// TestSharesOfClusters: an import in shares of the random logs of a cluster, a file or two for each process, gives what the
// import gives.
func TestSharesOfClusters(t *testing.T) {
	folder := t.TempDir()
	var maps []string
	for i, messages := range []string{namedMessages, namelessMessages, keyedMessages, namelessMessages + "clock: '${clock}'\n"} {
		name := filepath.Join(folder, fmt.Sprintf("map%d.yaml", i))
		if err := os.WriteFile(name, []byte(clusterLines+messages), 0o666); err != nil {
			t.Fatal(err)
		}
		maps = append(maps, name)
	}
	same := make(map[string]int)
	size.Check(t, 300, 2000, 100_000, func(t *rapid.T) {
		m := rapid.SampledFrom(maps).Draw(t, "map")
		if readings.SameInShares(t, clusterLogs(t), m, rapid.IntRange(1, 5).Draw(t, "shares")) {
			same[m]++
		}
	})
	for _, m := range maps {
		if same[m] < 10 {
			t.Errorf("%s: only %d logs were imported in shares", filepath.Base(m), same[m])
		}
	}
}

// clusterLogs returns the logs of processes that send messages and change their roles.
func clusterLogs(t *rapid.T) (files []readings.File) {
	processes := rapid.IntRange(2, 4).Draw(t, "processes")
	logs := make([]strings.Builder, 2*processes)
	draw := func(label string, limit int) int { return rapid.IntRange(0, limit).Draw(t, label) }
	type message struct {
		id, from, receiver int
		clock              []int
	}
	clocks := make([][]int, processes)
	for i := range clocks {
		clocks[i] = make([]int, processes)
	}
	var sent []message
	// A second file of a process is common in some runs and does not occur in others.
	rotated := draw("rotated", 3) == 0
	now := 1000
	for i := range draw("lines", 40) {
		p := draw("process", processes-1)
		file := &logs[2*p]
		if rotated && i > 20 {
			file = &logs[2*p+1]
		}
		now += draw("step", 3)
		at := fmt.Sprintf("2026-01-01T00:00:%02d.%03dZ", now/100%60, now%100*10+draw("skew", 1)*p)
		say := func(format string, args ...any) {
			clocks[p][p]++
			var entries []string
			for i, n := range clocks[p] {
				if n > 0 {
					entries = append(entries, fmt.Sprintf(`"n%d":%d`, i, n))
				}
			}
			fmt.Fprintf(file, "%s n%d {%s} %s\n", at, p, strings.Join(entries, ","), fmt.Sprintf(format, args...))
		}
		switch draw("what", 24) {
		case 0:
			say("up")
		case 1:
			say("down")
		case 2, 3, 4:
			say("term %d %s votes n%d", 1+i/10, []string{"leader", "follower"}[draw("role", 1)], draw("vote", processes))
		case 5:
			if draw("alias", 5) == 0 {
				say("calls itself host%d", p)
			}
		case 6:
			say("knows peers=[n0,n1,n%d]", draw("member", 6))
		case 7:
			if draw("gap", 3) == 0 {
				say("dropped")
			}
		case 8:
			fmt.Fprintf(file, "%s\n", []string{"", "garbage", "...", "--- restart ---", "- n1 up"}[draw("noise", 3)])
		case 9:
			say("adds n%d", draw("added", 6))
		case 10, 11, 12, 13, 14, 15, 16:
			receiver := (p + 1 + draw("to", processes-2)) % processes
			id := len(sent)
			if draw("again", 20) == 0 && id > 0 {
				id = draw("id", id)
			}
			say("sent %d ping to n%d", id, receiver)
			sent = append(sent, message{id, p, receiver, slices.Clone(clocks[p])})
		default:
			if len(sent) == 0 || draw("unsent", 20) == 0 {
				say("got 9%d ping from n%d", i, draw("from", processes-1))
				continue
			}
			m := sent[len(sent)-1-draw("late", min(5, len(sent)-1))]
			p, file = m.receiver, &logs[2*m.receiver]
			if rotated && i > 20 {
				file = &logs[2*p+1]
			}
			for i, n := range m.clock {
				clocks[p][i] = max(clocks[p][i], n)
			}
			say("got %d ping from n%d", m.id, m.from)
		}
	}
	for i := range logs {
		if text := logs[i].String(); text != "" || draw("empty", 9) == 0 {
			files = append(files, readings.File{Name: fmt.Sprintf("logs/n%d-%d.log", i/2, i%2), Data: []byte(text)})
		}
	}
	if files == nil {
		files = []readings.File{{Name: "n0.log"}}
	}
	return files
}

// forged returns a share with another digit in its account, and a checksum that fits.
func forged(t *rapid.T, share []byte) []byte {
	const tail, places, sum = 48, 24, 16 // in bytes
	share = slices.Clone(share)
	end := share[len(share)-tail:]
	account := share[binary.LittleEndian.Uint64(end[places-8:]) : len(share)-tail]
	var digits []int
	for i, c := range account {
		if '0' <= c && c <= '9' {
			digits = append(digits, i)
		}
	}
	account[rapid.SampledFrom(digits).Draw(t, "digit")] = '0' + byte(rapid.IntRange(0, 9).Draw(t, "value"))
	fits := sha256.Sum256(account)
	copy(end[places:], fits[:sum])
	return share
}

// TestSharesForged: no share leads to a panic, whatever its account claims.
func TestSharesForged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.yaml")
	if err := os.WriteFile(file, []byte(clusterLines+namedMessages), 0o666); err != nil {
		t.Fatal(err)
	}
	size.Check(t, 300, 3000, 100_000, func(t *rapid.T) {
		files := clusterLogs(t)
		shares, err := readings.SharesOf(files, file, rapid.IntRange(1, 3).Draw(t, "shares"))
		if err != nil {
			return
		}
		i := rapid.IntRange(0, len(shares)-1).Draw(t, "share")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			shares[i] = forged(t, shares[i])
		}
		_, _, _ = readings.ImportShares(shares, 2) // the test is that it returns
	})
}

// TestSharesFlipped: shares and an order with a changed byte, or cut off, are refused, or give the same run.
func TestSharesFlipped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.yaml")
	if err := os.WriteFile(file, []byte(clusterLines+namedMessages), 0o666); err != nil {
		t.Fatal(err)
	}
	shares, err := readings.SharesOf([]readings.File{
		{Name: "n1.log", Data: []byte("2026-01-01T00:00:01Z n1 {} term 1 leader votes n1\n2026-01-01T00:00:02Z n1 {} sent 7 ping to n2\n")},
		{Name: "n2.log", Data: []byte("2026-01-01T00:00:03Z n2 {} got 7 ping from n1\n2026-01-01T00:00:04Z n2 {} down\n")},
	}, file, 2)
	if err != nil {
		t.Fatal(err)
	}
	want, atOnce, err := readings.ImportShares(shares, 1)
	if err != nil || atOnce != "" {
		t.Fatal(err, atOnce)
	}
	size.Check(t, 300, 3000, 100_000, func(t *rapid.T) {
		flipped := slices.Clone(shares)
		i := rapid.IntRange(0, len(shares)-1).Draw(t, "share")
		flipped[i] = slices.Clone(shares[i])
		at := rapid.IntRange(0, len(flipped[i])-1).Draw(t, "byte")
		if rapid.Bool().Draw(t, "cut") {
			flipped[i] = flipped[i][:at]
		} else {
			flipped[i][at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		if got, _, err := readings.ImportShares(flipped, 1); err == nil && got != want {
			t.Fatalf("byte %d of share %d: another run", at, i)
		}
	})
}
