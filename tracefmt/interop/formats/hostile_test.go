package formats_test

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
)

// section is a section of testdata/hostile.txtar: texts for a format.
type section struct {
	name   string
	format interop.Format
	ready  string // the ready map
	texts  []string
}

// sections returns the sections of testdata/hostile.txtar. It fails the test if a format that can be read has none.
func sections(t testing.TB) (list []section) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/hostile.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		format, ready, _ := strings.Cut(file.Name, " ")
		s := section{name: file.Name, ready: ready, texts: strings.Split(strings.TrimSpace(string(file.Data)), "\n")}
		if file.Name != "every format" {
			s.format = lookup(t, format)
		}
		list = append(list, s)
	}
	for _, f := range interop.Readable(formats.Builtin()) {
		if !slices.ContainsFunc(list, func(s section) bool { return s.format.Name == f.Name }) {
			t.Errorf("testdata/hostile.txtar has no section %q, expected texts with little to read and much to keep", f.Name)
		}
	}
	general := list[0].texts
	for i := range list[1:] {
		list[i+1].texts = append(list[i+1].texts, general...)
	}
	return list[1:]
}

// hostileText returns about that many bytes of a text of testdata/hostile.txtar.
func hostileText(pattern string, bytes int) io.Reader {
	parts := strings.Split(strings.NewReplacer("⏎", "\n", "<ff>", "\xff", "»", "«").Replace(pattern), "«")
	readers := make([]io.Reader, len(parts))
	for i, part := range parts {
		readers[i] = strings.NewReader(part)
		if i%2 != 0 {
			readers[i] = &repetition{part: part, left: bytes / (len(parts) / 2)}
		}
	}
	return io.MultiReader(readers...)
}

// repetition reads a part again and again, with numbers in the place of <i>, <i+1> and <k>.
type repetition struct {
	part   string
	number int    // of the part that was made last, from 1
	unread string // of the parts that were made
	left   int    // bytes that are still to be made; the last part is whole
}

func (r *repetition) Read(p []byte) (int, error) {
	if r.unread == "" {
		if r.left <= 0 {
			return 0, io.EOF
		}
		var b strings.Builder
		for b.Len() < min(r.left, 64<<10) {
			r.number++
			numbers := [...]string{"<i>", "<i+1>", "<k>"}
			text := r.part
			for i, n := range [...]int{r.number, r.number + 1, 100_000_000 - r.number} {
				if strings.Contains(text, numbers[i]) {
					text = strings.ReplaceAll(text, numbers[i], strconv.Itoa(n))
				}
			}
			b.WriteString(text)
		}
		r.unread, r.left = b.String(), r.left-b.Len()
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// read imports a text into nothing.
func (s *section) read(text io.Reader) error {
	input, err := interop.NewInput(s.format.Name+".log", text)
	if err != nil {
		return err
	}
	var settings interop.Settings
	if s.ready != "" {
		settings.Options = map[string]string{"map": s.ready}
	}
	_, err = interop.Import(context.Background(), s.format, input, nowhere{}, settings)
	return err
}

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) Begin(*tracefmt.Run) error   { return nil }
func (nowhere) Write(*tracefmt.Event) error { return nil }
func (nowhere) Finish(tracefmt.End) error   { return nil }
