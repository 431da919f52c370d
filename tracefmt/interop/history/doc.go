// Package history reads histories of operations: what clients asked of a register, a
// key-value store or a lock, and what they got. They come as EDN, the notation of
// Clojure's data, from Jepsen, Knossos and porcupine, or as lines of Jepsen's log.
//
// EDN is read by this package: the library for it, olympos.io/encoding/edn, has no
// release and no change since 2020, knows no line numbers, ends the program at deep
// nesting, and refuses what Clojure prints of its objects and ratios.
package history
