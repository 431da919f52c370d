package catalog

import (
	_ "embed"
	"strings"

	"etrace/tracefmt/text"
)

// jsonFormats describes all JSON formats in Markdown. A test writes the lists of keys.
//
//go:embed json_formats.md
var jsonFormats string

// jsonKeysForm explains how the keys of a format are listed.
const jsonKeysForm = `Each object is listed with its keys by type. [] means each element of a list. A key with ? is left out when there is
nothing to report. A key is null where its value is unknown. An object has names as its keys; any is any JSON value.
etrace explain json-keys has the keys that all formats share.
`

// jsonEntries returns an entry for each section of jsonFormats, without the signs of Markdown.
func jsonEntries() []entry {
	var list []entry
	for section := range strings.SplitSeq(jsonFormats, "\n## ") {
		name, page, _ := strings.Cut(section, "\n\n")
		if strings.HasPrefix(name, "#") {
			continue // the title of the file
		}
		page = strings.ReplaceAll(strings.TrimRight(page, "\n"), "`", "") + "\n"
		prose, keys, hasKeys := strings.Cut(page, "keys\n")
		if hasKeys {
			page = prose + "Keys:\n\n" + text.Indent(strings.TrimRight(keys, "\n"), "  ") + "\n\n" + jsonKeysForm
		}
		list = append(list, entryOf(name, text.FirstSentence(page), page))
	}
	return list
}
