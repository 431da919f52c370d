// Package formats lists the foreign formats that etrace knows. A format that is
// one file lives here; a format that needs more files, or a dependency of its own, has a folder beside this one.
package formats
