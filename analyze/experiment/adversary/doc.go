// Package adversary looks for the run of a scenario in which a measure, such as the
// number of messages, is greatest or least, where an adversary decides when messages arrive
// and in which order the processes are on the ring ([Search]). It proves what it finds
// where it can: by a certificate that the schedule does not matter, or by exploring every
// schedule. Beyond that it climbs, and says that it is the greatest that was seen.
package adversary
