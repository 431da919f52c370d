// Command etrace records, checks, counts, replays and draws runs of
// distributed algorithms. See the README, or etrace --help.
package main

import (
	"os"

	"etrace/cmd/etrace/cli"
	_ "etrace/cmd/etrace/cli/ending/early"
)

func main() { os.Exit(cli.Main()) }
