// Package viewer writes a run as one HTML file that any browser shows: the
// picture, and below it what happened, event by event, as text. The file refers
// to no other, holds no script, and forbids browsers to fetch or run anything.
package viewer
