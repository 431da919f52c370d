// Package orders explores every order in which a small run may happen
// ([Explore]), and reports the worst verdict of each property over all of them,
// with a run that shows it.
package orders
