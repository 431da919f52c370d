package sweep

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// drawMany draws the given number of different ids, and returns them sorted.
func drawMany(ids []int64, many int, words *rand.PCG) []int64 {
	ids = slices.Clone(ids)
	for i := range many {
		j, _ := bits.Mul64(words.Uint64(), uint64(len(ids)-i))
		ids[i], ids[i+int(j)] = ids[i+int(j)], ids[i]
	}
	slices.Sort(ids[:many])
	return ids[:many]
}

// drawAny draws some of the ids: all non-empty sets are equally likely.
func drawAny(ids []int64, words *rand.PCG) (drawn []int64) {
	for len(drawn) == 0 {
		word := uint64(0)
		for i, id := range ids {
			if i%64 == 0 {
				word = words.Uint64()
			}
			if word>>(i%64)&1 == 1 {
				drawn = append(drawn, id)
			}
		}
	}
	return drawn
}
