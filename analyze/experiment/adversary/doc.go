// Package adversary looks for the run of a scenario in which a measure, such as the
// number of messages, is greatest or least, where an adversary decides when messages arrive
// and in which order the processes are on the ring ([Search]). It proves what it finds
// where it can: by a certificate that the schedule does not matter, or by exploring every
// schedule. Beyond that it climbs, and says that it is the greatest that was seen.
//
// # Prove what need not be tried
//
// An adversary over ring orders and schedules (analyze/experiment/adversary) asks a sim.Host what each process
// alone does on each message, in whatever order they come. Where the answers fit together, every schedule sends
// the same messages, after Kahn 1974, and one run of an order stands for all its schedules: the argument is in
// certificate.go. Where they do not, the same answers make a model whose situations are gone through once each;
// only what has timers or faults is simulated schedule by schedule. The run that is found is recorded by the
// simulator, and measured anew.
package adversary
