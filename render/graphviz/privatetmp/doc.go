// Package privatetmp lets a program that links go-graphviz start in every
// surroundings.
//
// go-graphviz compiles its WebAssembly in a package init and keeps the result
// in the folder go-graphviz of the temporary directory, a place which all
// users of a machine share. When that folder belongs to somebody else, or
// when a file in it is damaged, the init panics.
//
// The init of this package runs first and points the temporary directory at a
// folder that belongs to the user alone, in which every file has been checked.
// [Restore], called by the one package that imports go-graphviz, puts
// the directory back. Where no such folder can be had, the directory points
// nowhere: go-graphviz then compiles in memory, which costs half a second but
// never fails. It points nowhere, too, where package standin has replaced the
// module: there is little to compile, and no file is read. The same holds for a process
// that draws in the place of one whose cache could not be read.
//
// # Why it runs first
//
// Go initialises packages in the order of their import paths, each as soon as
// everything it imports is initialised. This package's path sorts before
// github.com, and it imports only standin and what go-graphviz or its WebAssembly
// runtime imports, too; so it is ready no later and is taken before. Keep both.
package privatetmp
