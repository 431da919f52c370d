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
	// turn is held by the command that runs. Two at once would need twice the memory, and could write one trace.
	turn chan struct{}
}

// instructions describe the server to its client.
const instructions = `etrace records, checks, counts, queries, replays and draws runs of distributed algorithms.
A trace is a file that holds runs; the default is trace.db. Paths are relative to the folder of the server. Begin with
record or import, then check. A long answer ends with a cursor: repeat the call with it for what follows.`

// newServer returns a server of the folder, which must be the working folder.
func newServer(path string) (*server, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder{root}, turn: make(chan struct{}, 1)}
	s.protocol = mcp.NewServer(&mcp.Implementation{Name: "etrace-mcp", Version: "0.1.0"}, &mcp.ServerOptions{Instructions: instructions})
	s.protocol.AddReceivingMiddleware(bounded)
	s.addTools()
	return s, nil
}

// bounded makes a line of every error, also of those of the protocol, which repeat what the client sent.
func bounded(next mcp.MethodHandler) mcp.MethodHandler {
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

// arguments are those of a tool.
type arguments interface {
	// command returns the command line of etrace that a call is.
	command(f folder) ([]string, error)
	// page returns the cursor of the page to return, "" for the first.
	page() string
}

// describer are arguments of a tool whose answer needs more than the command prints.
type describer interface {
	describe(f folder) (string, error)
}

// mostArguments limits the arguments of a call, in bytes: some commands compare a word with all that they know.
const mostArguments = 64 << 10

// addTool adds a tool whose calls are commands of etrace.
func addTool[A arguments](s *server, tool *mcp.Tool) {
	no := false
	tool.Annotations.DestructiveHint, tool.Annotations.OpenWorldHint = &no, &no
	mcp.AddTool(s.protocol, tool, func(ctx context.Context, req *mcp.CallToolRequest, args A) (*mcp.CallToolResult, any, error) {
		if n := len(req.Params.Arguments); n > mostArguments {
			return nil, nil, fmt.Errorf("arguments of %d bytes, expected at most %d", n, mostArguments)
		}
		call, err := identity(tool.Name, req.Params.Arguments)
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

// identity returns what two calls have in common that ask for pages of one answer.
func identity(tool string, arguments json.RawMessage) (string, error) {
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

// exitFail is the exit status of etrace where it could not do its work. Others are results.
const exitFail = 2

// execute runs a command line of etrace and returns what it printed: first the notes, which say what was assumed.
func (s *server) execute(ctx context.Context, line []string) (string, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	var out, said output
	status := cli.RunContext(ctx, line, strings.NewReader(""), &out, &said)
	notes := said.String()
	if status == exitFail {
		return "", errors.New(reason(notes))
	}
	text := notes + out.String()
	if status != 0 {
		text = fmt.Sprintf("exit status %d\n", status) + text
	}
	return cmp.Or(text, "done\n"), nil
}

// reason returns the error among the lines that a command printed on stderr: the last that begins with its name, and
// without it.
func reason(said string) string {
	const name = "etrace: "
	lines := strings.Split(said, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line, ok := strings.CutPrefix(lines[i], name); ok {
			return line
		}
	}
	return "etrace ended without a reason"
}
