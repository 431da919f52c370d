// Package printer writes what replay shows of recorded runs, events and states,
// as it is read: for people ([NewText]) or for programs ([NewJSON]). [Step] is
// an event in every JSON document that has events.
package printer
