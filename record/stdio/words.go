package stdio

import (
	"errors"
	"fmt"
	"strings"
)

// special are the unquoted characters by which a shell does more than split words; expanded are those within double
// quotes.
const (
	special  = "|&;<>()$`\n"
	expanded = "$`"
)

// Words splits a command line into words as a shell does: at blanks, with quotes and backslashes. It does not
// run a shell, so a line that needs one, such as a pipe or a variable, is an error.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != quote, quote == '"' && c != quote && c != '\\' && !strings.ContainsRune(expanded, rune(c)):
			word.WriteByte(c)
		case quote == 0 && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			begun, quote = true, c
		case c == '\\' && i+1 == len(line):
			return nil, errors.New("expected a character after the last backslash")
		case c == '\\':
			i++
			// Between double quotes, a shell keeps a backslash before an ordinary character.
			if quote == '"' && !strings.ContainsRune("\\\""+expanded, rune(line[i])) {
				word.WriteByte('\\')
			}
			begun = true
			word.WriteByte(line[i])
		case strings.ContainsRune(special, rune(c)):
			return nil, fmt.Errorf("%q needs a shell, expected words only; sh -c '...' starts one", c)
		default:
			begun = true
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("expected another %c at the end", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("no command, expected a program and its arguments")
	}
	return words, nil
}
