package modelcheck

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/goccy/go-yaml/ast"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
	"etrace/tracefmt/textfile"
	"etrace/tracefmt/yamldoc"
)

// meaning is the content of the file that --variables names: the meaning of the variables of a behaviour.
// Without a file it holds guesses.
type meaning struct {
	process   []string                     // variables that are maps from processes
	variables map[string]string            // by name in the behaviour, the name in the run
	values    map[string]map[string]string // by variable, by name in the run: from its values in the behaviour to those in the run
	sets      []string                     // variables that JSON writes as lists, but are sets
	network   *network
	action    []string // the path of the name of the action: a variable, then fields
	crash     []string // actions in which the acting process crashes
	recover   []string // actions in which it recovers; an action in both lists restarts it
	ignore    []string
	problem   string
	traits    []string
}

// network names the variable with the messages in flight, and the fields of a message.
type network struct {
	set, inboxes  string
	from, to, typ string // fields of messages
	lost          []string
}

// term is the variable that is the term of a process.
func (m *meaning) term() string { return tracefmt.TermVariable(m.problem) }

var variablesOption = interop.Option{
	Name: "variables", Arg: "FILE",
	Doc: "a FILE that names the variables of processes and messages",
}

// key is a key of the file, with its description and the function that reads its value.
type key[T any] struct {
	name, doc string
	read      func(d *yamldoc.Document, n ast.Node, target *T) error
}

var meaningKeys = []key[meaning]{
	{
		"process",
		"the variable that maps each process to its variables (a record) or to one value; or a list of such variables",
		textsKey(func(m *meaning) *[]string { return &m.process }),
	},
	{
		"variables",
		"NAME: THEIRS, the name that etrace gives to a variable of the processes, such as votedFor: vote",
		func(d *yamldoc.Document, n ast.Node, m *meaning) error {
			otherNames, err := words(d, n)
			m.variables = make(map[string]string)
			for name, theirs := range otherNames {
				m.variables[theirs] = name
			}
			return err
		},
	},
	{"values", "NAME: {THEIRS: WORD}, other words for values of a variable, such as role: {L: leader}", readValues},
	{"sets", "variables that are sets, which JSON writes as arrays", textsKey(func(m *meaning) *[]string { return &m.sets })},
	{"network", "where messages are between send and receive", func(d *yamldoc.Document, n ast.Node, m *meaning) error {
		m.network = new(network)
		if err := readKeys(d, n, "key of network", networkKeys, m.network); err != nil {
			return err
		}
		if (m.network.set == "") == (m.network.inboxes == "") {
			return d.Errorf(n, "expected one of set: VARIABLE and inboxes: VARIABLE in network")
		}
		return nil
	}},
	{
		"action",
		"the variable with the name of the action, or a field of it: action.name", func(d *yamldoc.Document, n ast.Node, m *meaning) error {
			s, err := d.Text(n)
			m.action = strings.Split(s, ".")
			return err
		},
	},
	{"crash", "actions in which the acting process crashes", textsKey(func(m *meaning) *[]string { return &m.crash })},
	{
		"recover", "actions in which it recovers; an action that is also in crash restarts it",
		textsKey(func(m *meaning) *[]string { return &m.recover }),
	},
	{"ignore", "variables that the import leaves out", textsKey(func(m *meaning) *[]string { return &m.ignore })},
	{"run", "problem: and traits: of the run, see etrace list problems, traits", func(d *yamldoc.Document, n ast.Node, m *meaning) error {
		return readKeys(d, n, "key of run", runKeys, m)
	}},
}

var networkKeys = []key[network]{
	{
		"set", "the variable that is the set of messages, or a map from each message to its number of copies",
		textKey(func(n *network) *string { return &n.set }),
	},
	{"inboxes", "the variable, by process, that is the list of messages to it", textKey(func(n *network) *string { return &n.inboxes })},
	{"from", "the field with the sender of a message, else the acting process", textKey(func(n *network) *string { return &n.from })},
	{"to", "the field with its receiver", textKey(func(n *network) *string { return &n.to })},
	{"type", "the field with its type", textKey(func(n *network) *string { return &n.typ })},
	{
		"lost", "actions that lose a message; in others, a message that disappears is received",
		textsKey(func(n *network) *[]string { return &n.lost }),
	},
}

var runKeys = []key[meaning]{
	{"problem", "what the processes solve", func(d *yamldoc.Document, n ast.Node, m *meaning) error {
		s, err := d.Text(n)
		if err != nil {
			return err
		}
		if _, err := tracefmt.Problems().Lookup(s); err != nil {
			return d.Errorf(n, "%w", err)
		}
		m.problem = s
		return nil
	}},
	{"traits", "what the network and the algorithm promise", textsKey(func(m *meaning) *[]string { return &m.traits })},
}

// describe lists all keys of the file.
func describe() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "--variables names a YAML file with these keys:")
	listKeys(w, meaningKeys)
	fmt.Fprintln(w, "Keys of network:")
	listKeys(w, networkKeys)
	_ = w.Flush() // a strings.Builder takes everything
	b.WriteString(`The end of a name, such as nodes for module::nodes, is enough if it is unique. Without the file, the keys that several
maps share are the processes, or the keys of a map to records. If there are no such maps, all variables belong to one
process, system. Variables that belong to no process are recorded in notes.

A file is one behaviour. Several files become several runs.
`)
	return b.String()
}

func listKeys[T any](w *tabwriter.Writer, keys []key[T]) {
	for _, k := range keys {
		fmt.Fprintf(w, "  %s\t%s\n", k.name, k.doc)
	}
}

// loadMeaning reads the file, "" for none.
func loadMeaning(file string) (*meaning, error) {
	m := new(meaning)
	if file == "" {
		return m, nil
	}
	data, err := textfile.Read(file, "a mapping of variables")
	if err != nil {
		return nil, err
	}
	return m, parseMeaning(m, file, data)
}

// parseMeaning reads the content of a file into m.
func parseMeaning(m *meaning, file string, data []byte) error {
	doc, err := yamldoc.Parse(file, data, "process and network")
	if err != nil {
		return err
	}
	return readKeys(doc, doc.Root, "key", meaningKeys, m)
}

// readKeys reads a mapping with the known keys into target. It fails for an unknown key; category names keys in
// that error.
func readKeys[T any](d *yamldoc.Document, n ast.Node, context string, keys []key[T], target *T) error {
	entries, err := d.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Key.GetToken().Value
		i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
		if i < 0 {
			var names []string
			for _, k := range keys {
				names = append(names, k.name)
			}
			return d.Errorf(e.Key, "%w", text.Unknown(context, name, names))
		}
		if err := keys[i].read(d, e.Value, target); err != nil {
			return err
		}
	}
	return nil
}

// textKey returns a function that reads a text into the field that place returns.
func textKey[T any](place func(*T) *string) func(*yamldoc.Document, ast.Node, *T) error {
	return func(d *yamldoc.Document, n ast.Node, target *T) (err error) {
		*place(target), err = d.Text(n)
		return err
	}
}

// textsKey returns a function that reads a text or a list of texts into the field that place returns.
func textsKey[T any](place func(*T) *[]string) func(*yamldoc.Document, ast.Node, *T) error {
	return func(d *yamldoc.Document, n ast.Node, target *T) error {
		texts, err := d.Texts(n)
		*place(target) = append(*place(target), texts...)
		return err
	}
}

// words reads a mapping from words to words.
func words(d *yamldoc.Document, n ast.Node) (map[string]string, error) {
	entries, err := d.Entries(n)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(entries))
	for _, e := range entries {
		names[e.Key.GetToken().Value], err = d.Text(e.Value)
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// readValues reads the key values: by variable, a mapping from words to words.
func readValues(d *yamldoc.Document, n ast.Node, m *meaning) error {
	entries, err := d.Entries(n)
	if err != nil {
		return err
	}
	m.values = make(map[string]map[string]string)
	for _, e := range entries {
		m.values[e.Key.GetToken().Value], err = words(d, e.Value)
		if err != nil {
			return err
		}
	}
	return nil
}
