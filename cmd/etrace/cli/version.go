package cli

import "runtime/debug"

// version of this etrace; it is named in the runs that it records.
const version = "0.1.0"

const toolName = "etrace " + version

// commit is that of the source, for builds into which Go itself writes none. make release sets it.
var commit string

// versionLine returns the version, and the commit where the build knows it.
func versionLine() string {
	if revision := builtFrom(); revision != "" {
		return toolName + ", commit " + revision
	}
	return toolName
}

// builtFrom returns the commit of the source, with -dirty if files of it were changed, or "".
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
