// Package mutex has the properties of mutual exclusion: who is in the critical section, and how long others wait.
package mutex
