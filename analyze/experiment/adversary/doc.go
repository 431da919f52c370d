// Package adversary searches for the run of a scenario with the maximum or minimum of a measure, such as the
// number of messages ([Search]). The adversary decides when messages arrive and in which order the processes
// are on the ring. The package proves its result where it can: by a certificate that the schedule does not
// matter, or by exploring every schedule. Otherwise it climbs, and reports the maximum or minimum of the runs
// that it has seen.
//
// # Certificates instead of exploration
//
// An adversary over ring orders and schedules asks a sim.Host how each process alone reacts to each message, in
// all orders of arrival. If the answers are consistent, every schedule sends the same messages (Kahn 1974), and
// one run of a ring order represents all its schedules: certificate.go has the argument. If they are not, the
// same answers make a model, and each of its situations is explored once. Only scenarios with timers or faults
// are simulated schedule by schedule. The simulator records the resulting run, and its measure is taken from
// the recording.
package adversary
