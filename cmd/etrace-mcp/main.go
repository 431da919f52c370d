package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"etrace/cmd/etrace/cli/ending"
	_ "etrace/cmd/etrace/cli/ending/early"
)

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "etrace-mcp: "+oneLine(err.Error()))
		os.Exit(2)
	}
}

// serve answers requests on stdin and stdout until the client closes them or a signal comes.
func serve(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q, expected none: it serves the folder that it is started in, over stdin and stdout", args[0])
	}
	ctx, stop := ending.Context()
	defer stop()
	s, err := newServer(".")
	if err != nil {
		return err
	}
	defer s.folder.Close()
	err = s.protocol.Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
