// Package orders explores every order in which the events of a small run can happen ([Explore]). It reports the
// worst verdict of each property over all orders, with a run as witness.
package orders
