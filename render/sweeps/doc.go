// Package sweeps draws tables of sweeps. A plot shows a measure over the number of processes, beside theory. A plane
// shows one measure against another. A page has all of them, and needs only a browser.
package sweeps
