package cli

import "runtime/debug"

// version is the version of this etrace. Recorded runs name it.
const version = "0.1.0"

// toolName names this etrace in files.
const toolName = "etrace " + version

// commit is the commit of the source, for builds into which Go writes none; make release sets it.
var commit string

// versionLine returns the version and, if the build knows it, the commit.
func versionLine() string {
	if revision := builtFrom(); revision != "" {
		return toolName + ", commit " + revision
	}
	return toolName
}

// builtFrom returns the commit of the source, with -dirty if changed files were built, "" if unknown.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return commit
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	return revision
}
