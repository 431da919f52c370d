// Package maelstrom reads journals of Maelstrom's node protocol: lines of JSON, each a message that a node or client
// writes or gets, a message that is dropped, a line that a node
// logs, or what happens to the network.
//
//	{"seq":1,"t":0.1,"ev":"send","node":"n1","msg":{"src":"n1","dest":"n2","body":{"type":"echo","msg_id":1}}}
//
// It knows what a mapping cannot express: who writes a message need not be its src, messages
// need not have ids, and what a client asks and gets are operations.
package maelstrom
