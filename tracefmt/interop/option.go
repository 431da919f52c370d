package interop

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// Option is a choice that a format leaves to the user. The command makes a
// flag of it. Formats may share an option: then name, argument, meaning and
// default are the same in all of them.
type Option struct {
	// Name is that of the flag, without dashes.
	Name string
	// Arg is the placeholder of its value in help, such as REGEX. Empty for a
	// switch, whose values are true and false.
	Arg string
	// Doc describes in a line what it decides. It names the value by Arg.
	Doc string
	// Default is the value where none is given; it need not pass Check.
	Default string
	// Choices are all values, nil for any.
	Choices []string
	// Check returns what is wrong with a value, nil for a valid value. Optional.
	Check func(value string) error
}

// Values are the values of a format's options by name, defaults included. They
// have passed the options' checks.
type Values map[string]string

// Value returns the value of an option.
func (v Values) Value(option string) string { return v[option] }

// On reports whether a switch is on.
func (v Values) On(option string) bool { return v[option] == "true" }

// Int returns the value of an option whose Check admits integers only.
func (v Values) Int(option string) int {
	n, err := strconv.Atoi(v[option])
	if err != nil {
		return 0
	}
	return n
}

// find returns the option of that name, nil if unknown.
func find(options []Option, name string) *Option {
	i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &options[i]
}

// values checks the values that the user gave, and adds the defaults of the other options.
func values(format string, options []Option, given map[string]string) (Values, error) {
	values := make(Values, len(options))
	for _, o := range options {
		values[o.Name] = o.Default
	}
	for _, name := range sortedKeys(given) {
		o := find(options, name)
		if o == nil {
			return nil, fmt.Errorf("format %s has no option %s", format, text.Quote(name))
		}
		if err := o.check(given[name]); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
		values[name] = given[name]
	}
	return values, nil
}

// checkShared returns an error if no format accepts the value of an option.
func checkShared(formats []Format, given map[string]string) error {
	for _, name := range sortedKeys(given) {
		var failed error
		for i := range formats {
			failed = find(formats[i].ReadOptions, name).check(given[name])
			if failed == nil {
				break
			}
		}
		if failed != nil {
			return fmt.Errorf("option %s: %w", name, failed)
		}
	}
	return nil
}

// check returns an error if the option does not admit the value.
func (o *Option) check(value string) error {
	choices := o.Choices
	if o.Arg == "" {
		choices = []string{"false", "true"}
	}
	if choices != nil && !slices.Contains(choices, value) {
		return text.Unknown("value", value, choices)
	}
	if o.Check == nil {
		return nil
	}
	return o.Check(value)
}

// SharedOption is an option with the formats that have it.
type SharedOption struct {
	Option
	Formats []string
}

// Usage is the help of the option: the formats, and what it decides.
func (o SharedOption) Usage() string { return strings.Join(o.Formats, ", ") + ": " + o.Doc }

// OptionsToRead returns the options of all formats that can be read, by name.
// Two that share a name but not the meaning are an error.
func OptionsToRead(known Registry) ([]SharedOption, error) {
	return union(Readable(known), func(f Format) []Option { return f.ReadOptions })
}

// OptionsToWrite is OptionsToRead for writing.
func OptionsToWrite(known Registry) ([]SharedOption, error) {
	return union(Writable(known), func(f Format) []Option { return f.WriteOptions })
}

// union returns the options of the formats by name, each with the formats that have it. It fails if two formats
// have different options of the same name.
func union(formats []Format, options func(Format) []Option) ([]SharedOption, error) {
	shared := make(map[string]*SharedOption)
	for _, f := range formats {
		for _, o := range options(f) {
			same := shared[o.Name]
			if same == nil {
				same = &SharedOption{Option: o}
				shared[o.Name] = same
			}
			if same.Arg != o.Arg || same.Doc != o.Doc || same.Default != o.Default || !slices.Equal(same.Choices, o.Choices) {
				return nil, fmt.Errorf("the formats %s and %s mean different things by their option %s", same.Formats[0], f.Name, text.Quote(o.Name))
			}
			same.Formats = append(same.Formats, f.Name)
		}
	}
	list := make([]SharedOption, 0, len(shared))
	for _, name := range sortedKeys(shared) {
		list = append(list, *shared[name])
	}
	return list, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
