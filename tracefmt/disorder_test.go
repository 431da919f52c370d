package tracefmt_test

import (
	"testing"
	"time"

	"etrace/tracefmt"
)

// A log is written as pairs of a process and milliseconds.
func TestDisorder(t *testing.T) {
	type line struct {
		p  tracefmt.ProcessID
		ms int
	}
	for _, c := range []struct {
		name string
		log  []line
		want time.Duration // 0 for no contradiction
		at   int
	}{
		{"in order", []line{{1, 0}, {2, 10}, {1, 20}, {2, 30}}, 0, 0},
		{"one after another", []line{{1, 0}, {1, 1000}, {1, 5000}, {2, 0}, {2, 4000}}, 5 * time.Second, 3},
		{"blocks of an earlier time", []line{{1, 5000}, {1, 9000}, {2, 0}, {2, 3000}}, 9 * time.Second, 2},
		{
			"blocks in turns",
			[]line{{1, 0}, {1, 3600000}, {2, 0}, {2, 3600000}, {1, 3600000}, {1, 7200000}, {2, 3600000}, {2, 7200000}},
			time.Hour, 2,
		},
		{"jitter", []line{{1, 0}, {2, 100}, {1, 98}, {2, 97}, {1, 200}}, 0, 0},
		{"a clock that is an hour behind", []line{{1, 3600000}, {2, 1}, {1, 3600002}, {2, 3}, {1, 3600004}, {2, 5}}, 0, 0},
		{"single steps back of one process", []line{{1, 0}, {2, 1000}, {1, 60000}, {1, 2000}, {2, 3000}, {1, 4000}}, 0, 0},
		{"a single event", []line{{1, 0}, {1, 9000}, {2, 0}}, 0, 0},
		{"one process", []line{{1, 1000}, {1, 0}}, 0, 0},
		{"nothing", nil, 0, 0},
	} {
		var d tracefmt.Disorder[int]
		for i, l := range c.log {
			d.Add(l.p, tracefmt.Time(l.ms)*tracefmt.Time(time.Millisecond), i)
		}
		worst, ok := d.Worst()
		if ok != (c.want > 0) || time.Duration(worst.By) != c.want || worst.At != c.at {
			t.Errorf("%s: by %v at %d, %t, expected by %v at %d", c.name, time.Duration(worst.By), worst.At, ok, c.want, c.at)
		}
	}
}

// TestDisorderBack: the greatest step back is between events of different processes.
func TestDisorderBack(t *testing.T) {
	var d tracefmt.Disorder[int]
	d.Add(1, 0, 0)
	d.Add(2, 100, 1)
	if back := d.Back(); back != 0 {
		t.Errorf("%d in ascending order", back)
	}
	d.Add(1, 98, 2)
	d.Add(1, 40, 3)
	if back := d.Back(); back != 60 {
		t.Errorf("%d from 100 to 40, expected 60", back)
	}
}
