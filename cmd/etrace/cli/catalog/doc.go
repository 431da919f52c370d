// Package catalog lists all names that etrace knows, for etrace list, and has the texts of etrace explain. It builds both
// from the registries and tables that the code itself uses.
package catalog
