// Package catalog writes what etrace knows by name: the lists of etrace list,
// and the texts of etrace explain. All come from the registries and tables that
// the code itself works with.
package catalog
