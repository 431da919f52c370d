// Command etrace-mcp answers questions about runs of distributed algorithms over stdin and stdout, in the Model Context
// Protocol. Its tools are commands of etrace, executed in this process. See README.md.
package main
