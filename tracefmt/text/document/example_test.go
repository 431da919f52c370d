package document_test

import (
	"fmt"
	"io"
	"os"

	"etrace/tracefmt/text/document"
)

// A report is described once, and written in each form.
func ExampleDocument() {
	t := &document.Table{Title: "Messages", Head: []string{"type", "sent"}, Align: "lr"}
	t.Add("<OK>", "3")
	t.Add("ELECTION", "12")
	d := &document.Document{}
	d.Heading(1, "Run 1: bully")
	d.Table(t)
	d.List([]string{"budget holds: messages < 20"})
	latex := func(w io.Writer) error { return d.WriteLaTeX(w, "needs", "  ") }
	for _, write := range []func(io.Writer) error{d.WriteText, d.WriteMarkdown, latex} {
		if err := write(os.Stdout); err != nil {
			fmt.Println(err)
		}
		fmt.Println("--")
	}
	// Output:
	// Run 1: bully
	// type      sent
	// <OK>      3
	// ELECTION  12
	// budget holds: messages < 20
	// --
	// # Run 1: bully
	//
	// ## Messages
	//
	// | type | sent |
	// |---|--:|
	// | &lt;OK> | 3 |
	// | ELECTION | 12 |
	//
	// - budget holds: messages &lt; 20
	// --
	// % Written by etrace; needs \usepackage{booktabs}
	// \begin{table}
	//   \centering
	//   \caption{Messages}
	//   \begin{tabular}{lr}
	//     \toprule
	//     type & sent \\
	//     \midrule
	//     \textless{}OK\textgreater{} & 3 \\
	//     ELECTION & 12 \\
	//     \bottomrule
	//   \end{tabular}
	// \end{table}
	// % budget holds: messages < 20
	// --
}
