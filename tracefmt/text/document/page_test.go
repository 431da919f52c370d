package document_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt/text/document"
)

func opened(complete string) func() (io.Reader, error) {
	return func() (io.Reader, error) { return strings.NewReader(complete), nil }
}

// TestTextPages: the lines of the pages, joined, are the text.
func TestTextPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		complete := rapid.StringMatching(`([a-c]{0,3}\n){0,20}[a-c]{0,2}`).Draw(t, "text")
		p := document.Page{Limit: rapid.IntRange(1, 7).Draw(t, "limit")}
		joined := ""
		for {
			var b strings.Builder
			if err := p.WriteText(&b, opened(complete)); err != nil {
				t.Fatal(err)
			}
			_, page, _ := strings.Cut(b.String(), "\n")
			page, p.Cursor, _ = strings.Cut(page, "next: ")
			joined += page
			if p.Cursor == "" {
				break
			}
			if strings.Count(page, "\n") != p.Limit {
				t.Fatalf("a page of %q, expected %d lines", page, p.Limit)
			}
			p.Cursor = strings.TrimSuffix(p.Cursor, "\n")
		}
		if joined != complete {
			t.Fatalf("got %q, want %q", joined, complete)
		}
	})
}

// inner is what an element of a list of rows has.
type inner struct {
	Name string `json:"name"`
	Seqs []int  `json:"seqs"`
}

// TestJSONPages: the rows of the pages are those of the document, each once; what holds a row is beside it.
func TestJSONPages(t *testing.T) {
	lists := map[string]document.RowLists{"f/1": {Outer: []string{"all"}, Inner: []string{"seqs"}}}
	rapid.Check(t, func(t *rapid.T) {
		list := []inner{}
		total, seqs := 0, []string{}
		for i := range rapid.IntRange(0, 4).Draw(t, "elements") {
			first := inner{Name: fmt.Sprint(i), Seqs: []int{}}
			for range rapid.IntRange(0, 5).Draw(t, "rows") {
				seqs = append(seqs, fmt.Sprint(i, len(seqs)))
				first.Seqs = append(first.Seqs, len(seqs)-1)
			}
			total += 1 + len(first.Seqs)
			list = append(list, first)
		}
		complete, err := json.MarshalIndent(struct {
			Format string      `json:"format"`
			Other  [][]float64 `json:"other"`
			All    []inner     `json:"all"`
		}{"f/1", [][]float64{{1.5, 2}, {}}, list}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		p := document.Page{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
		var got []string
		for {
			var b bytes.Buffer
			if err := p.WriteJSON(&b, opened(string(complete)), lists); err != nil {
				t.Fatal(err)
			}
			var page struct {
				Format, Next string
				Total        int
				Other        [][]float64
				All          []inner
			}
			if err := json.Unmarshal(b.Bytes(), &page); err != nil || page.Format != "f/1" || page.Total != total || len(page.Other) != 2 {
				t.Fatalf("%s: %v", b.String(), err)
			}
			rows := 0
			for _, first := range page.All {
				for _, seq := range first.Seqs {
					got = append(got, fmt.Sprint(first.Name, seq))
					rows++
				}
			}
			if rows > p.Limit {
				t.Fatalf("%d rows, expected at most %d", rows, p.Limit)
			}
			p.Cursor = page.Next
			if p.Cursor == "" {
				break
			}
		}
		for i := range seqs {
			seqs[i] = strings.Replace(seqs[i], " ", "", 1)
		}
		if strings.Join(got, " ") != strings.Join(seqs, " ") {
			t.Fatalf("got %v, want %v", got, seqs)
		}
	})
}

// TestCursor: a cursor fits no other output, and a changed cursor fits none.
func TestCursor(t *testing.T) {
	var b strings.Builder
	if err := (document.Page{Limit: 1}).WriteText(&b, opened("a\nb\n")); err != nil {
		t.Fatal(err)
	}
	_, cursor, _ := strings.Cut(strings.TrimSpace(b.String()), "next: ")
	for text, cursors := range map[string][]string{
		"a\nc\n": {cursor}, "": {cursor}, "a\nb\n": {"x", cursor + "A", cursor[:10], cursor[:len(cursor)-3] + "_w8", strings.Repeat("A", 22)},
	} {
		for _, c := range cursors {
			if err := (document.Page{Limit: 1, Cursor: c}).WriteText(io.Discard, opened(text)); !errors.Is(err, document.ErrCursor) {
				t.Errorf("%q of %q: %v", c, text, err)
			}
		}
	}
	if err := (document.Page{Limit: 1<<63 - 1, Cursor: cursor}).WriteText(io.Discard, opened("a\nb\n")); err != nil {
		t.Error(err)
	}
}
