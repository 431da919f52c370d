package property

import (
	"hash/maphash"

	"etrace/tracefmt"
)

// hashSeed is random, so that no trace can be made in which things that differ
// have the same hash.
var hashSeed = maphash.MakeSeed()

// fieldHash hashes a field of a JSON object. Sums of it do not depend on the
// order of the fields.
func fieldHash(key, value []byte) uint64 {
	return mix(maphash.Bytes(hashSeed, key) ^ mix(maphash.Bytes(hashSeed, value)))
}

// fieldsHash hashes a JSON object without regard to the order of its fields.
func fieldsHash(object []byte) (h uint64) {
	for key, value := range tracefmt.Fields(object) {
		h += fieldHash(key, value)
	}
	return h
}

// mix is the finalizer of splitmix64: each bit of x changes half of the bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
