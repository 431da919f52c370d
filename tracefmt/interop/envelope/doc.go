// Package envelope takes the lines of programs out of what collectors and terminals put around them: the name of a
// container before each line, a time of their own, a JSON object.
package envelope
