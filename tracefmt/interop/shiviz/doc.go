// Package shiviz reads logs with vector clocks: those of ShiViz and GoVector,
// and others whose form a regular expression says.
package shiviz
