// Package view selects the part of a run that a picture shows. A [Selection] is what a user asks for, in words: a window between two
// places, what surrounds an event, its causal past, some processes, some types of messages. Resolved against a recording it
// is a [View], which package story asks about each event.
package view
