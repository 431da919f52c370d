// Package tracedb keeps traces in SQLite files: an [Appender] adds complete
// runs, a [Live] recording grows while it is read, a [DB] reads runs and
// answers SQL. It is the only package that knows SQLite.
//
// # For users of sqlite3
//
// A trace opens in the sqlite3 shell and in every other SQLite client. The stable
// interface is the set of views:
//
//	runs      run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, end, events, traits
//	members   run, process, name, position, attributes
//	events    run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload, id, cause_id
//	messages  run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate, sent_id, received_id
//	verdicts  run, property, verdict, witness, explanation, checked_at, tool
//
// A run has a number, from 1; the other views join with it. Processes appear
// under their names, as text: process = 4 and process = '4' find the same.
// Missing fields are NULL. Times are integer nanoseconds; in a
// simulated run 1e9 is one message delay. cause is the seq of the send of
// what a receive or lose event received or lost. A message's fate is
// delivered (at least once; received_seq and received_at are the first time),
// lost, "receiver crashed", or "in flight". end is quiescent, stopped,
// deadline, or recording: still open, or its recorder died.
//
//	SELECT type, count(*) FROM messages WHERE run = 1 GROUP BY type;
//	SELECT seq, payload ->> 'elected' FROM events WHERE run = 1 AND process = 4 AND kind = 'state';
//
// traits is a JSON array of words, what the run states of itself, or NULL.
//
// events.id is a number that SQLite looks up, unique in the file, where seq has
// to be searched for. Joins of messages to their events, and of events to their
// causes, go by it, with the run next to it, and cost a look-up each:
//
//	SELECT m.message, s.lamport, r.lamport FROM messages m
//	  JOIN events s ON s.run = m.run AND s.id = m.sent_id
//	  JOIN events r ON r.run = m.run AND r.id = m.received_id
//	WHERE m.run = 1;
//	SELECT e.seq, c.process FROM events e JOIN events c ON c.run = e.run AND c.id = e.cause_id WHERE e.run = 1;
//
// An id changes when a run moves to another file; a seq never does.
//
// The keyword end has to be quoted: SELECT run, "end" FROM runs. The views
// visit the events of one run only with the condition run = N. A user may add tables, and
// indexes of columns; a file with anything that computes, such as triggers,
// further views, virtual tables, generated columns or indexes on expressions, is
// refused, since it may come from anybody. The tables below must not be changed by
// hand, since checksums would detect it.
//
// # Physical layout
//
// The tables beneath the views are subject to change with user_version; they
// are made for speed and small size. Each run occupies one ascending range
// of event.id: id = run.base + seq. run.reserved ids after the base belong to
// the run, which are many while it is recorded live. A run moves to another
// file by adding constants to its number and ids.
//
// event.who is ((type*W + process)*W + peer)*32 + kind, where W is
// run.processes + 1; process and peer are numbers in the table member, type
// one in the run's dictionary (the table type), and 0 means none. event.cause
// is the distance back to the cause, seq - cause. 0 in message, cause,
// lamport and term means none; SQLite stores it in no bytes. event.payload lacks the
// outer braces of the JSON object. There is no secondary index: those of a
// run are found by their id.
//
// stated holds what runs state of themselves beyond the columns of run: a JSON
// text for each key, traits and bounds. verdict_sum holds a CRC-32C over the
// verdicts of each run that has some. Files of former versions lack one or both
// of these tables, and the columns of the views that came with them: they are
// read as they are, queries find the present views all the same, and they get the
// present layout, user_version unchanged, when runs are appended or verdicts
// saved. A former etrace then rejects the definition of a view.
//
// run.widths holds the bit lengths of the greatest values in the columns time
// to term of the run's events, seven bits each, time lowest: a reader can
// then let several values share one integer on their way out of SQLite.
// run.head_sum is a CRC-32C of the description of the run, run.event_sum a sum
// over its events and type names; with these sums a reader detects damage that
// SQLite cannot detect.
package tracedb
