// Package perfetto writes runs as traces of Perfetto, in its own protocol-buffer form: a
// track for each process, an instant for each event, an arrow for each message.
package perfetto
