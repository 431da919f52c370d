package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"etrace/cmd/etrace/cli"
)

// server executes the calls of tools in the working folder of the process.
type server struct {
	protocol *mcp.Server
	folder   folder
	answers  answers
	// turn has an element while a command runs. Two commands at once would take twice the memory, and could write to the same
	// trace.
	turn chan struct{}
}

// instructions describe the server to its client.
const instructions = `etrace records, checks, counts, queries, replays and draws runs of distributed algorithms.
A trace is a file that holds runs; the default is trace.db. Paths are relative to the folder of the server. Begin with
record or import, then check. A long answer ends with a cursor: repeat the call with it for what follows.`

// newServer returns a server of the folder at path, which must be the working folder of the process.
func newServer(path string) (*server, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder{root}, turn: make(chan struct{}, 1)}
	s.protocol = mcp.NewServer(&mcp.Implementation{Name: "etrace-mcp", Version: "0.1.0"}, &mcp.ServerOptions{Instructions: instructions})
	s.protocol.AddReceivingMiddleware(shortenErrors)
	s.addTools()
	return s, nil
}

// shortenErrors shortens every error to one line. Errors of the protocol may repeat what the client sent.
func shortenErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			if line := oneLine(err.Error()); line != err.Error() {
				err = errors.New(line)
			}
			return result, err
		}
		if called, ok := result.(*mcp.CallToolResult); ok && called.IsError {
			for _, content := range called.Content {
				if text, ok := content.(*mcp.TextContent); ok {
					text.Text = oneLine(text.Text)
				}
			}
		}
		return result, nil
	}
}

// arguments are the arguments of a tool.
type arguments interface {
	// command returns the command line of etrace that executes the call. It fails if a file may not be used.
	command(f folder) ([]string, error)
	// page returns the cursor of the requested page, "" for the first page.
	page() string
}

// describer are arguments whose answer needs more text than the command prints.
type describer interface {
	describe(f folder) (string, error)
}

// maxArguments is the greatest size of the arguments of a call in bytes. Some commands compare a word with all known names.
const maxArguments = 64 << 10

// addTool adds a tool whose calls execute commands of etrace.
func addTool[A arguments](s *server, tool *mcp.Tool) {
	no := false
	tool.Annotations.DestructiveHint, tool.Annotations.OpenWorldHint = &no, &no
	mcp.AddTool(s.protocol, tool, func(ctx context.Context, req *mcp.CallToolRequest, args A) (*mcp.CallToolResult, any, error) {
		if n := len(req.Params.Arguments); n > maxArguments {
			return nil, nil, fmt.Errorf("arguments of %d bytes, expected at most %d", n, maxArguments)
		}
		call, err := callKey(tool.Name, req.Params.Arguments)
		if err != nil {
			return nil, nil, err
		}
		if cursor := args.page(); cursor != "" {
			result, err := s.answers.next(call, cursor)
			return result, nil, err
		}
		line, err := args.command(s.folder)
		if err != nil {
			return nil, nil, err
		}
		text, err := s.execute(ctx, line)
		if d, ok := any(args).(describer); ok && err == nil {
			var more string
			more, err = d.describe(s.folder)
			text += more
		}
		if err != nil {
			return nil, nil, err
		}
		return s.answers.first(call, text), nil, nil
	})
}

// callKey returns a key for a call: its tool and its arguments except the cursor. Calls for pages of one answer have the
// same key.
func callKey(tool string, arguments json.RawMessage) (string, error) {
	values := map[string]any{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &values); err != nil {
			return "", err
		}
	}
	delete(values, "cursor")
	sorted, err := json.Marshal(values)
	return tool + string(sorted), err
}

// exitFail is the exit status of a command that failed. Any other status is a result.
const exitFail = 2

// execute runs a command line of etrace and returns its output. The notes come first, because they say what was assumed.
func (s *server) execute(ctx context.Context, line []string) (string, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	var out, errOut output
	status := cli.RunContext(ctx, line, strings.NewReader(""), &out, &errOut)
	notes := errOut.String()
	if status == exitFail {
		return "", errors.New(failureReason(notes))
	}
	text := notes + out.String()
	if status != 0 {
		text = fmt.Sprintf("exit status %d\n", status) + text
	}
	return cmp.Or(text, "done\n"), nil
}

// failureReason returns the error in the output on stderr: the last line that begins with "etrace: ", without that.
func failureReason(printed string) string {
	const name = "etrace: "
	lines := strings.Split(printed, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line, ok := strings.CutPrefix(lines[i], name); ok {
			return line
		}
	}
	return "etrace ended without a reason"
}
