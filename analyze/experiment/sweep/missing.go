package sweep

import (
	"fmt"

	"etrace/analyze/shard"
	"etrace/tracefmt/text"
)

// Missing says how many runs were not made, in whatever files they should be, and whose they are:
// of which shards, if it is known how the runs are split, or else of which cells.
func (t *Table) Missing() string {
	var missing, of int64
	for i := range t.Cells {
		missing, of = missing+t.Cells[i].Of-t.Cells[i].Runs, of+t.Cells[i].Of
	}
	whose := t.shards
	if whose == "" {
		whose = t.Unfinished()
	}
	return fmt.Sprintf("%d of %d runs are in none of the files (%s), expected those of all shards, or --partial", missing, of, whose)
}

// eachRun calls f with the numbers of the runs from one on, and whether they are done, until f returns
// false.
func (d *done) eachRun(p *Plan, from int64, f func(number int64, done bool) bool) {
	cell, run := p.locate(from)
	for number := from; number < p.Runs; number++ {
		for run == p.Families[cell].runs {
			cell, run = cell+1, 0
		}
		if !f(number, d.has(cell, run)) {
			return
		}
		run++
	}
}

// mostTried is into how many shards it is tried to split the runs.
const mostTried = 4096

// missingShards names the shards that the runs which are not done are of: the fewest into which the
// runs can be split so that each is there or missing as a whole, two runs or more; or one whose runs
// are missing in part. It is "" if the runs are not split so.
func (d *done) missingShards(p *Plan) string {
	change := int64(0) // the first run that is there and the next is not, or the other way round
	d.eachRun(p, 1, func(number int64, done bool) bool {
		change = number - 1
		cell, run := p.locate(change)
		return done == d.has(cell, run)
	})
	for of := int64(2); of <= min(mostTried, p.Runs/2); of++ {
		if missing := d.split(p, of, change); missing != nil {
			return "--shard " + text.Some(missing, mostNamed)
		}
	}
	first, step := int64(-1), int64(0)
	d.eachRun(p, 0, func(number int64, done bool) bool {
		if done {
			return true
		}
		if first < 0 {
			first = number
		}
		step = gcd(step, number-first)
		return step != 1
	})
	if step < 2 || step > shard.MostShards {
		return ""
	}
	return fmt.Sprintf("some of --shard %d/%d", first%step, step)
}

// split names the shards that are missing of so many, nil if some shard is there in part. It begins
// where runs change from there to missing, since what is there in part mostly shows soon after.
func (d *done) split(p *Plan, of, change int64) (missing []string) {
	state := make([]int8, of) // of each shard: 1 there, -1 missing, 0 not known
	whole := true
	take := func(number int64, done bool) bool {
		is := int8(-1)
		if done {
			is = 1
		}
		at := &state[number%of]
		whole = *at == 0 || *at == is
		*at = is
		return whole
	}
	d.eachRun(p, change, take)
	if whole {
		d.eachRun(p, 0, func(number int64, done bool) bool { return number < change && take(number, done) })
	}
	if !whole {
		return nil
	}
	for i, s := range state {
		if s < 0 {
			missing = append(missing, fmt.Sprintf("%d/%d", i, of))
		}
	}
	return missing
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
