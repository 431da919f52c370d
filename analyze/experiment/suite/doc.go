// Package suite runs files of cases. A case is a scenario with the expected results of its run. [Load] reads a
// file, [Run] runs the cases, and a [Format] writes the [Report].
//
// # The format of suites
//
// A suite is a YAML file. Its keys, those of a case below cases:
//
//	suite: Formulas of the lecture notes        # the title
//	description: |                              # optional, for readers
//	  What the numbers are and where they are from.
//	cases:
//	  - name: chang-roberts, worst case, n = ${n}
//	    for: {n: 3-32}                          # optional: one case per value
//	    scenario:                               # keys of a scenario, or the name of a
//	      algorithm: chang-roberts              # scenario file, relative to the suite
//	      nodes: ${n}
//	      start: 1@0
//	    expect:                                 # what follows from the rules
//	      messages: 3*n-1
//	      type.elected: n
//	      time: 3*n-1
//	      end: quiescent
//	      leader: ${n}
//	      elected: {1-2: "${n}"}
//	      verdicts: {election-safety: satisfied, election-liveness: satisfied}
//	    published: {messages: 3*n-1}            # what the source prints
//	    note: why the published figure differs  # optional
//
// A case needs a name, a scenario, and something in expect or published.
//
// # Variables
//
// The key for declares variables and makes one case for each of their values:
// a range (3-32), a list of numbers or words ([6, 10, 15], [lower, all]), or a
// single value; of several variables every combination, the last varying
// fastest. A value may use the variables above it, as in d: 0-${n-1}. A list of such
// declarations means all of them, one after the other, as for the
// rows of a table:
//
//	for:
//	  - {n: 6, printed: 20}
//	  - {n: 10, printed: 72}
//
// In the name, the note, and the values of scenario, expect and published,
// ${...} is replaced by the value of an expression over the variables. Inside
// the braces of YAML such a value needs quotes. Expressions have numbers and
// words, + - * / % **, comparisons, and, or, not, c ? x : y, min, max, ceil,
// floor, log2, and ids(a, b), the ids from a to b, rising or falling:
// ids: ${ids(n, 1)} is a decreasing ring; bitreversal(a, b) has the same ids in the
// order of their places with the binary digits read backwards, 1,5,3,7,2,6,4,8 for
// bitreversal(1, 8). The names of the cases of a suite must differ, so a name
// usually shows its variables.
//
// # Expectations
//
// The keys of expect and published are the same:
//
//   - measures, each a number, an expression, or none: messages (sent),
//     delivered, lost, to_crashed, in_flight, type.NAME (sent, of a type),
//     depth (causal), suspicions, time (of the last delivery), decided (time of
//     the last decision), events;
//   - end: quiescent, stopped, deadline, or loop, which is proven on the trace;
//   - leader: the process that all live ones have elected, or none;
//   - elected: by process, what it has elected at the end, none, or down; the
//     process may be a range of ids (1-3);
//   - verdicts: by property, its verdict. Properties are examined as if asked for
//     by name, the stricter readings and the environment's assumptions included.
//
// # Status
//
// The consequence of the rules and the number in a source may differ, and both
// are shown beside what was measured. A value is
//
//   - ok: measured as expected, and as published, where these are given;
//   - explained: measured as expected, but published otherwise, and the case
//     has a note that says why;
//   - failed: measured otherwise than expected, or published otherwise without
//     both an expected value and a note, or the run could not be made.
//
// A case or suite has the worst status of its values.
//
// # Rules, sources and measurements
//
// A suite keeps three numbers apart: the consequence of the rules (expect), the number printed in a source
// (published), and the measured number. The first must be measured exactly. The second may differ, but only
// beside the first and with a note that explains why, so a wrong table is reported and never imitated. The
// formulas use the language of the budgets, over the variables of the case. The whole file is read, expanded
// and resolved before the first run, so every mistake has a line and a column.
package suite
