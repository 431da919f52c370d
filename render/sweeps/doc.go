// Package sweeps draws tables of sweeps: plots of what was measured over the number of
// processes beside theory, a plane of one measure against another, and a page with all of
// it, which needs nothing but a browser.
package sweeps
