// Package viewer writes a run as one HTML file that any browser shows. The script on the page, viewer.js, lets
// readers step, zoom, search and hide in all events of the run. Without the script the page has the
// picture and what happened as text. The file refers to no other file. Its policy lets browsers run that one script,
// known by its hash, and fetch nothing; texts of the run never become markup.
package viewer
