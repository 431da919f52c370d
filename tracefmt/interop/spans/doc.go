// Package spans reads traces of spans: OTLP as JSON, which it also writes, the JSON of Jaeger
// and, by rules of its own that [Chrome] has, trace events of Chrome. What follows is about the
// former.
//
// Order. Causes come first, then time decides: a span starts after its parents and its links, its events follow,
// then its end. So clocks of services that
// contradict that do no harm.
//
// Time. That of the spans, in nanoseconds.
//
// Kinds. A span is two notes, where it starts and where it ends; its events are notes between
// them, and notes of a role of the process are states. A client's span with a server's span as child, and a
// producer's with a consumer's reference, start with a send, the
// others with a receive: one for each message, if a consumer takes several. A producer's span without references
// sends a message that is not received, if it names the service. A
// parent or link between processes that is no message is a cause.
//
// Files. Files that are read together are of one execution: of each service its own. Of one
// process are the spans of one service, in whatever file.
//
// Completeness. What occurs, all of it; but some only where the file shows that spans are missing:
// it was sampled, or refers to what it does not have.
package spans
