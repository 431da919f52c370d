// Package spans reads traces of spans: OTLP as JSON, which it also writes, the JSON of Jaeger
// and, by rules of its own that [Chrome] has, trace events of Chrome. What follows is about the
// former.
//
// Order. Causes come first, then time decides: a span starts after its parents and after
// those to which it links, its events follow, then its end. So clocks of services that
// contradict that do no harm.
//
// Time. That of the spans, in nanoseconds.
//
// Kinds. A span is two notes, where it starts and where it ends; its events are notes between
// them, and those that say which role the process took are states. A client's span of which a
// server's is a child, and a producer's to which a consumer's refers, start with a send, the
// others with a receive: one for each message, if a consumer takes several. A producer's span to
// which none refers sends a message that is not received, if it says to which service. A
// parent or link between processes that is no message is a cause.
//
// Files. Those that are read together are of one execution: of each service its own. Of one
// process are the spans of one service, in whatever file.
//
// Completeness. What occurs, all of it; but some only where the file shows that spans are missing:
// it was sampled, or refers to what it does not have.
package spans
