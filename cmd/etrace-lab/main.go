//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"etrace/render/viewer"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("etrace-lab: ")
	if len(os.Args) != 3 {
		log.Fatal("expected two files: the program that GOOS=js GOARCH=wasm go build makes, and the page to write")
	}
	program, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	page, err := lab(program)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], page, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %.1f MB\n", os.Args[2], float64(len(page))/1e6)
}

//go:embed lab.html
var labText string

//go:embed controls.html
var controls string

//go:embed lab.js
var labScript string

// lab returns the page with the compressed program in it.
func lab(program []byte) ([]byte, error) {
	loader, err := loader()
	if err != nil {
		return nil, err
	}
	style, body, view, err := viewer.Explorer("The laboratory of etrace", template.HTML(controls))
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	script := view + labScript
	policy := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s' 'sha256-%s' 'wasm-unsafe-eval'; "+
		"require-trusted-types-for 'script'; trusted-types 'none'", sum(loader), sum(script))
	page, err := template.New("lab").Parse(labText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{
		"Policy": policy, "Style": style, "Body": body,
		"Loader": template.HTML("<script>" + loader + "</script>"),
		"Script": template.HTML(`<script type="module">` + script + "</script>"),
		"Program": template.HTML(`<script type="text/plain" id="etrace-program">` +
			base64.StdEncoding.EncodeToString(packed.Bytes()) + "</script>"),
	})
	return out.Bytes(), err
}

// loader returns the script of the Go distribution that runs Go programs in a browser.
func loader() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	return string(text), err
}

// sum returns the SHA-256 of a text in base64, as a content security policy states it.
func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(hash[:])
}
