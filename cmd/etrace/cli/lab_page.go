//go:build lab

package cli

import _ "embed"

//go:embed lab.html
var builtLab string

func init() { labPage = builtLab }
