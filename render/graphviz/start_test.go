package graphviz_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"etrace/fixtures/size"
	"etrace/render/graphviz"
	"etrace/render/graphviz/standin"
)

// program builds testdata/start once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "etrace-start-")
	if err != nil {
		return "", err
	}
	// Other users run it, too.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "start")
	out, err := exec.Command("go", "build", "-o", path, "./testdata/start").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// start runs the program with a home and a temporary directory of its own and
// returns what it wrote. It must succeed and leave TMPDIR as it was.
func start(t *testing.T, home, tmp string, change ...func(*exec.Cmd)) string {
	t.Helper()
	size.SkipQuick(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=/"}
	cmd.Stdin = strings.NewReader(tiny)
	for _, c := range change {
		c(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, firstLines(out))
	}
	if !strings.Contains(string(out), "TMPDIR "+tmp+"\n") {
		t.Errorf("TMPDIR was not restored to %s:\n%s", tmp, out)
	}
	if !strings.Contains(string(out), "bytes of SVG") {
		t.Errorf("nothing was drawn:\n%s", out)
	}
	return string(out)
}

// compiled is a home with a compiled and sealed cache, made once for all tests.
var compiled = sync.OnceValue(func() string {
	path, err := program()
	if err != nil {
		panic(err)
	}
	home := filepath.Join(filepath.Dir(path), "home")
	cmd := exec.Command(path)
	cmd.Env = []string{"HOME=" + home, "TMPDIR=/nonexistent", "PATH=/"}
	cmd.Stdin = strings.NewReader(tiny)
	if err := os.Mkdir(home, 0o700); err == nil {
		_ = cmd.Run() // the tests that use the home see whether it worked
	}
	return home
})

// warmHome returns a home of the test's own with a compiled cache.
func warmHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(home, os.DirFS(compiled())); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return home
}

const tiny = `digraph g { a [pos="10,10" label=" "] }`

func firstLines(out []byte) string {
	lines := strings.SplitN(string(out), "\n", 12)
	return strings.Join(lines[:len(lines)-1], "\n")
}

// modules returns the compiled modules under home.
func modules(t *testing.T, root string) []string {
	t.Helper()
	cached, err := filepath.Glob(filepath.Join(root, "go-graphviz", "wazero-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range cached {
		if filepath.Ext(path) == "" {
			list = append(list, path)
		}
	}
	return list
}

func TestOurInitRunsBeforeGraphviz(t *testing.T) {
	out := start(t, warmHome(t), t.TempDir(), func(c *exec.Cmd) { c.Env = append(c.Env, "GODEBUG=inittrace=1") })
	var order []string
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @`).FindAllStringSubmatch(out, -1) {
		order = append(order, m[1])
	}
	at := func(name string) int {
		for i, n := range order {
			if n == name {
				return i
			}
		}
		t.Fatalf("no init of %s in\n%s", name, out)
		return 0
	}
	theirs := at("github.com/goccy/go-graphviz/internal/wasm")
	for _, ours := range []string{"standin", "privatetmp"} {
		if at("etrace/render/graphviz/"+ours) > theirs {
			t.Errorf("%s is initialised after go-graphviz: %v", ours, order)
		}
	}
	if at("etrace/render/graphviz") < theirs {
		t.Errorf("TMPDIR is restored before go-graphviz is initialised: %v", order)
	}
}

// What privatetmp and standin import must be there whenever go-graphviz can be
// initialised; else their own inits might come too late in some program.
func TestPrivateTmpNeedsNothingMoreThanGraphviz(t *testing.T) {
	needs := func(pkg string) map[string]bool {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		set := make(map[string]bool)
		for _, p := range strings.Fields(string(out)) {
			set[p] = true
		}
		return set
	}
	theirs := needs("github.com/goccy/go-graphviz/internal/wasm")
	for p := range needs("etrace/render/graphviz/privatetmp") {
		if !theirs[p] && !strings.HasPrefix(p, "etrace/render/graphviz/") {
			t.Errorf("privatetmp imports %s, which go-graphviz does not", p)
		}
	}
}

// TestNothingIsReadToStart: a program that draws nothing looks at no cache and makes none.
func TestNothingIsReadToStart(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	home, tmp := t.TempDir(), t.TempDir()
	cmd := exec.Command(path)
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=/"}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "TMPDIR "+tmp+"\n" {
		t.Errorf("got %q, %v", out, err)
	}
	for _, folder := range []string{home, tmp} {
		if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
			t.Errorf("%v was written (%v), want nothing", list, err)
		}
	}
}

// TestADrawerThatFails: the first line that the process prints is the error, and the next drawing has another process.
func TestADrawerThatFails(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		input, want string
		open        bool // the process that asks is still there
	}{
		"no length":   {"short", "draws\n", false},
		"a long text": {"\xff\xff\xff\xff\xff\xff\xff\x7f", "draws\n", true},
		"end":         {"", "draws\n", false},
		"not DOT":     {"\x03\x00\x00\x00\x00\x00\x00\x00{{{", "Ethe DOT text is not understood: syntax error in line 1 near '{'", true},
	} {
		input, asks, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := asks.WriteString(c.input); err != nil {
			t.Fatal(err)
		}
		if !c.open {
			asks.Close()
		}
		cmd := exec.Command(path)
		cmd.Args[0] = standin.Drawer
		cmd.Stdin = input
		out, err := cmd.Output()
		input.Close()
		asks.Close()
		if err != nil || !strings.HasSuffix(string(out), c.want) {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := graphviz.SVG(ctx, []byte(tiny)); err != nil {
		t.Fatal(err)
	}
	go cancel()
	if _, err := graphviz.SVG(ctx, []byte(tiny)); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a drawing that is interrupted: %v", err)
	}
	if _, err := graphviz.SVG(context.Background(), []byte(tiny)); err != nil {
		t.Errorf("after an interrupted drawing: %v", err)
	}
}

func TestStartsWithoutAnyPlaceForACache(t *testing.T) {
	for name, env := range map[string][2]string{
		"no home":               {"/nonexistent", t.TempDir()},
		"no home and no tmp":    {"/nonexistent", "/nonexistent"},
		"home is a file":        {"/dev/null", "/dev/null"},
		"relative home and tmp": {"nonexistent", "nonexistent"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no home and no tmp" || size.Now() == size.Long {
				start(t, env[0], env[1])
			}
		})
	}
	if _, err := os.Stat("/nonexistent"); err == nil {
		t.Error("a home was created")
	}
}

func TestStartsBesideAForeignOrDamagedSharedCache(t *testing.T) {
	damage := map[string]func(t *testing.T, tmp string){
		"not readable":        func(t *testing.T, tmp string) { mkdir(t, filepath.Join(tmp, "go-graphviz"), 0o000) },
		"not writable":        func(t *testing.T, tmp string) { mkdir(t, filepath.Join(tmp, "go-graphviz"), 0o555) },
		"a file in its place": func(t *testing.T, tmp string) { write(t, filepath.Join(tmp, "go-graphviz"), "x") },
		"a folder in the place of ours": func(t *testing.T, tmp string) {
			mkdir(t, filepath.Join(tmp, fmt.Sprintf("etrace-%d", os.Getuid())), 0o755)
		},
		"a link in the place of ours": func(t *testing.T, tmp string) {
			if err := os.Symlink(t.TempDir(), filepath.Join(tmp, fmt.Sprintf("etrace-%d", os.Getuid()))); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			harm(t, tmp)
			start(t, warmHome(t), tmp)
			if name == "not readable" || size.Now() == size.Long {
				start(t, "/nonexistent", tmp)
			}
		})
	}
}

// The case that stops go-graphviz: another user was first.
func TestStartsForASecondUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can run a program as somebody else")
	}
	tmp, err := os.MkdirTemp("", "etrace-shared-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o1777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(tmp, "go-graphviz", "wazero-dev-amd64-linux")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, "/nonexistent", tmp)
	unprivileged := func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		c.Dir = "/"
	}
	start(t, "/nonexistent", tmp, unprivileged)
	if n := len(modules(t, filepath.Join(tmp, "etrace-65534"))); n != 1 {
		t.Errorf("the second user has %d cached modules, want 1", n)
	}
	// root's home, kept by sudo: the folder in it belongs to somebody else.
	home := filepath.Join(tmp, "home")
	mkdir(t, filepath.Join(home, ".cache", "etrace"), 0o700)
	for _, dir := range []string{home, filepath.Join(home, ".cache"), filepath.Join(home, ".cache", "etrace")} {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	start(t, home, tmp)
	if n := len(modules(t, filepath.Join(home, ".cache", "etrace"))); n != 0 {
		t.Errorf("%d modules were put into a folder that belongs to somebody else", n)
	}
}

func TestRecoversFromADamagedPrivateCache(t *testing.T) {
	size.SkipQuick(t)
	home := warmHome(t)
	tmp := t.TempDir()
	root := filepath.Join(home, ".cache", "etrace")
	found := modules(t, root)
	if len(found) != 1 {
		t.Fatalf("cached modules: %v, want one", found)
	}
	module := found[0]
	complete, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(module)
	for name, harm := range map[string]func(){
		"empty":            func() { write(t, module, "") },
		"cut":              func() { write(t, module, string(complete[:len(complete)/2])) },
		"garbage":          func() { write(t, module, "garbage") },
		"one bit":          func() { write(t, module, flip(complete, len(complete)/3)) },
		"a function table": func() { write(t, module, flip(complete, 64)) },
		"a huge table":     func() { write(t, module, string(complete[:10])+"\xff\xff\xff\x7f"+string(complete[14:])) },
		"never sealed":     func() { os.Remove(module + ".sum") },
		"sum damaged":      func() { write(t, module+".sum", "crc32c 0000") },
		"both empty":       func() { write(t, module, ""); write(t, module+".sum", "") },
		"unfinished":       func() { write(t, module+".123.tmp", "half") },
		"stranger":         func() { write(t, filepath.Join(dir, "stranger"), "x") },
		"a directory":      func() { os.Remove(module); mkdir(t, filepath.Join(module, "full"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			if name != "one bit" && name != "a function table" && size.Now() != size.Long {
				return // the tests of privatetmp try the same without a program
			}
			harm()
			start(t, home, tmp)
			if name == "a directory" {
				os.RemoveAll(module)
			}
			start(t, home, tmp)
		})
	}
	again, err := os.ReadFile(module)
	if err != nil || string(again) != string(complete) {
		t.Errorf("the cache was not made whole again: %v, %d bytes, want %d", err, len(again), len(complete))
	}
}

// TestDrawsWithoutACacheThatFails: where the module in the cache cannot be read to its end, as after an error of the
// disk, the process that draws ends in a panic. Another one draws without the cache. Half a module that was sealed is
// such a case, since the check of the sums finds nothing wrong.
func TestDrawsWithoutACacheThatFails(t *testing.T) {
	size.SkipQuick(t)
	home := warmHome(t)
	module := modules(t, filepath.Join(home, ".cache", "etrace"))[0]
	complete, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	half := complete[:len(complete)/2]
	write(t, module, string(half))
	write(t, module+".sum", fmt.Sprintf("crc32c %08x\n", crc32.Checksum(half, crc32.MakeTable(crc32.Castagnoli))))
	start(t, home, t.TempDir())
	if left, err := os.ReadFile(module); err != nil || string(left) != string(half) {
		t.Errorf("the module in the cache was replaced (%d bytes, %v): the drawing proves nothing", len(left), err)
	}
}

// A full disk makes the cache useless but must not stop the program.
func TestStartsOnAFullDisk(t *testing.T) {
	home := t.TempDir()
	limited := func(c *exec.Cmd) {
		path := c.Path
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `ulimit -f 64; trap "" XFSZ; exec "$0"`, path}
	}
	start(t, home, t.TempDir(), limited)
	if found := modules(t, filepath.Join(home, ".cache", "etrace")); len(found) != 0 {
		t.Errorf("%v was written, want nothing", found)
	}
}

func TestManyAtOnce(t *testing.T) {
	home, tmp := t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); start(t, home, tmp) }()
	}
	wg.Wait()
	start(t, home, tmp)
}

func flip(b []byte, i int) string {
	c := []byte(string(b))
	c[i] ^= 0x10
	return string(c)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
