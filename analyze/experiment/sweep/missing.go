package sweep

import (
	"fmt"

	"etrace/analyze/shard"
	"etrace/tracefmt/text"
)

// Missing returns how many runs are missing from all files, and where they belong: their shards, if the split of
// the runs is known, or else their cells.
func (t *Table) Missing() string {
	var missing, total int64
	for i := range t.Cells {
		missing, total = missing+t.Cells[i].Of-t.Cells[i].Runs, total+t.Cells[i].Of
	}
	whose := t.shards
	if whose == "" {
		whose = t.Unfinished()
	}
	return fmt.Sprintf("%d of %d runs are in none of the files (%s), expected those of all shards, or --partial",
		missing, total, whose)
}

// eachRun calls f with the number of each run, beginning at from, and whether it is done. It stops when f
// returns false.
func (d *doneSet) eachRun(p *Plan, from int64, f func(number int64, done bool) bool) {
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

// maxShardsTried is the greatest number of shards that missingShards tries.
const maxShardsTried = 4096

// missingShards names the shards whose runs are missing. It tries growing numbers of shards until each shard
// is either complete or missing as a whole. If no number fits, it names one shard that contains all missing
// runs; "" if there is no such shard.
func (d *doneSet) missingShards(p *Plan) string {
	// The first run after which done changes to missing, or missing to done.
	change := int64(0)
	d.eachRun(p, 1, func(number int64, done bool) bool {
		change = number - 1
		cell, run := p.locate(change)
		return done == d.has(cell, run)
	})
	for shards := int64(2); shards <= min(maxShardsTried, p.Runs/2); shards++ {
		if missing := d.wholeShards(p, shards, change); missing != nil {
			return "--shard " + text.Some(missing, maxNamed)
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

// wholeShards returns the missing shards for the given number of shards, nil if some shard is incomplete. It begins
// at the first change, since an incomplete shard usually shows soon after it.
func (d *doneSet) wholeShards(p *Plan, shards, change int64) (missing []string) {
	state := make([]int8, shards) // of each shard: 1 done, -1 missing, 0 unknown
	consistent := true
	take := func(number int64, done bool) bool {
		present := int8(-1)
		if done {
			present = 1
		}
		at := &state[number%shards]
		consistent = *at == 0 || *at == present
		*at = present
		return consistent
	}
	d.eachRun(p, change, take)
	if consistent {
		d.eachRun(p, 0, func(number int64, done bool) bool { return number < change && take(number, done) })
	}
	if !consistent {
		return nil
	}
	for i, s := range state {
		if s < 0 {
			missing = append(missing, fmt.Sprintf("%d/%d", i, shards))
		}
	}
	return missing
}

// gcd returns the greatest common divisor.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
