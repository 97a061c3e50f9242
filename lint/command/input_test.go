package command_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestGitIgnored checks that folders are checked without what git ignores.
func TestGitIgnored(t *testing.T) {
	tree(t, map[string]string{".gitignore": "build/\n*.tmp.mlir\n", "src/a.mlir": outfeeds, "src/b.tmp.mlir": outfeeds,
		"build/a.mlir": outfeeds, "build/x/b.mlir": outfeeds, "src/tracked.tmp.mlir": outfeeds})
	names := func(args ...string) []string {
		var all []string
		for _, brief := range withFew("", args...).briefs(t) {
			name, _, _ := strings.Cut(brief, ":")
			all = append(all, name)
		}
		return all
	}
	all := []string{"build/a.mlir", "build/x/b.mlir", "src/a.mlir", "src/b.tmp.mlir", "src/tracked.tmp.mlir"}
	check.Diff(t, "without git", all, names("."))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "src/tracked.tmp.mlir"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	check.Diff(t, "with git", []string{"src/a.mlir", "src/tracked.tmp.mlir"}, names("."))
	check.Diff(t, "below", []string{"src/a.mlir", "src/tracked.tmp.mlir"}, names("src/..."))
	check.Diff(t, "named", []string{"build/a.mlir", "build/x/b.mlir", "src/b.tmp.mlir"},
		names("build", "src/b.tmp.mlir"))
	check.Diff(t, "quick", []string{"src/a.mlir", "src/tracked.tmp.mlir"}, names("-quick", "."))
	check.Diff(t, "-no-gitignore", all, names("-no-gitignore", "."))
	check.NoError(t, os.RemoveAll("src"))
	withFew("", ".").holds(t, 2, "this folder has no file ", "git ignores some: see -no-gitignore")
}

// TestStdinFilename checks that standard input has the name and the configuration of a file.
func TestStdinFilename(t *testing.T) {
	tree(t, map[string]string{"m/.mlir-lint.yaml": "rules: {outfeed: note}\nignore: [{path: skip.mlir}]"})
	withFew(outfeeds, "-stdin-filename", "m/a.mlir", "-").want(t, 0, "m/a.mlir:2:8: note [outfeed]")
	withFew(outfeeds, "-quick", "-stdin-filename", "m/a.mlir").want(t, 0, "m/a.mlir:2:8: note [outfeed]")
	withFew(outfeeds, "-stdin-filename", "m/skip.mlir").want(t, 0)
	r := execute(outfeeds, "-fix", "-stdin-filename", "m/skip.mlir")
	check.Diff(t, "an ignored file", result{Stdout: outfeeds}, r)
	execute(hook, "-fix", "-stdin-filename", "m/a.mlir").holds(t, 0, "calliope_io_callback",
		"m/a.mlir: findings repaired")
	withFew(outfeeds, "-stdin-filename", "a.mlir", "m").holds(t, 2,
		`-stdin-filename names standard input: give "-" or no path`)
}

func writeFile(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// TestFolder checks a folder with good, wrong, invalid, unrelated and unreadable files,
// directly and through a link.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"m/b.mlir":          hook,
		"m/a.mlirbc":        bytecode(t, hook),
		"m/deep/er/c.mlir":  "nonsense",
		"m/deep/d.mlir":     clean,
		"m/readme.txt":      "nonsense",
		"m/mlir":            "nonsense",
		"outside/there":     hook,
		"nothing/readme.md": "nothing",
	} {
		writeFile(t, dir, name, content)
	}
	check.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755)) // the links below do not leave the tree
	for link, to := range map[string]string{
		"link":          "m",
		"m/linked.mlir": "../outside/there",
		"m/lost.mlir":   "../outside/lost",
		"m/circle":      "../m",
	} {
		check.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	want := []string{
		"a.mlirbc:1:1: error [create-token]",
		"a.mlirbc:1:1: error [outfeed]",
		"b.mlir:2:8: error [create-token]",
		"b.mlir:3:8: error [outfeed]",
		"deep/er/c.mlir:1:1: error [invalid]",
		"linked.mlir:2:8: error [create-token]",
		"linked.mlir:3:8: error [outfeed]",
		"lost.mlir:1:1: error [invalid]",
	}
	for _, root := range []string{"m", "link"} {
		t.Run(root, func(t *testing.T) {
			r := execute("", filepath.Join(dir, root))
			var got []string
			for line := range strings.Lines(r.Stdout) {
				got = append(got, brief(t, strings.TrimPrefix(line, filepath.Join(dir, root)+"/")))
			}
			if diff := cmp.Diff(want, got); diff != "" || r.Exit != 2 {
				t.Errorf("exit status %d, findings (-want +got):\n%s", r.Exit, diff)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		path := filepath.Join(dir, "nothing")
		execute("", path).holds(t, 2, path+":1:1: error: this folder has no file *.mlir, *.mlirbc, *.mlir.bc, *.stablehlo, *.vhlo or *.bc: name another folder, or files [invalid]\n")
	})
	t.Run("missing", func(t *testing.T) {
		path := filepath.Join(dir, "missing.mlir")
		execute("", path, filepath.Join(dir, "m/b.mlir")).holds(t, 2,
			path+":1:1: error: there is no such file or folder: check the path [invalid]\n", "[create-token]",
			"[outfeed]")
	})
}

// TestLocations checks that a finding has a position in the input, whatever locations the
// operations have.
func TestLocations(t *testing.T) {
	const located = `func.func @f() {
  %0 = stablehlo.create_token : !stablehlo.token loc("model.py":3:7)
  %1 = stablehlo.create_token : !stablehlo.token
  %2 = stablehlo.create_token : !stablehlo.token loc("no file")
  %3 = stablehlo.create_token : !stablehlo.token loc(callsite("f"("x.py":1:2) at "y.py":4:5))
  return
}`
	ends := func(r result) (got []string) {
		for line := range strings.Lines(r.Stdout) {
			_, after, _ := strings.Cut(line, "form")
			place, _, _ := strings.Cut(line, ": ")
			got = append(got, place+after)
		}
		return got
	}
	text := []string{
		"<stdin>:2:8 (at model.py:3:7) [create-token]\n",
		"<stdin>:3:8 [create-token]\n",
		"<stdin>:4:8 [create-token]\n",
		"<stdin>:5:8 (at x.py:1:2) [create-token]\n",
	}
	if diff := cmp.Diff(text, ends(execute(located))); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	binary := []string{
		"<stdin>:1:1 (at model.py:3:7) [create-token]\n",
		"<stdin>:1:1 (at line 3, column 8 of the text that the module was made from) [create-token]\n",
		"<stdin>:1:1 [create-token]\n",
		"<stdin>:1:1 (at x.py:1:2) [create-token]\n",
	}
	if diff := cmp.Diff(binary, ends(execute(bytecode(t, located)))); diff != "" {
		t.Errorf("bytecode (-want +got):\n%s", diff)
	}
}

// brief returns a finding without its message.
func brief(t *testing.T, line string) string {
	t.Helper()
	parts := strings.SplitN(strings.TrimSpace(line), ": ", 3)
	rule := strings.LastIndex(line, "[")
	if len(parts) != 3 || rule < 0 {
		t.Errorf("%q is not of the form file:line:col: severity: message [rule]", line)
		return line
	}
	return parts[0] + ": " + parts[1] + " " + strings.TrimSpace(line[rule:])
}

func bytecode(t *testing.T, text string) string {
	t.Helper()
	library, err := mlir.Open(mlir.OpenOptions{})
	check.NoError(t, err)
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("", []byte(text))
	check.NoError(t, err)
	data, err := m.Bytecode()
	check.NoError(t, err)
	return string(data)
}

// TestExport checks files of jax.export, and names the file and what is wrong with a bad one.
func TestExport(t *testing.T) {
	const folder = "../../stablehlo/jaxexport/testdata"
	for _, name := range []string{"static", "polymorphic", "platforms"} {
		if r := execute("", filepath.Join(folder, name+".jaxexport")); r.Exit != 0 || r.Stdout+r.Stderr != "" {
			t.Errorf("%s: exit status %d, printed %s%s", name, r.Exit, r.Stdout, r.Stderr)
		}
	}
	data := check.Must(os.ReadFile(filepath.Join(folder, "static.jaxexport")))
	execute(string(data), "-").holds(t, 0)
	// The name of the function is outside of the file.
	root := binary.LittleEndian.Uint32(data)
	fields := root - binary.LittleEndian.Uint32(data[root:])
	name := root + uint32(binary.LittleEndian.Uint16(data[fields+6:]))
	binary.LittleEndian.PutUint32(data[name:], 1<<30)
	execute(string(data), "-").holds(t, 2,
		"<stdin>:1:1: error: jaxexport: the data is not a valid file of jax.export: ", "[invalid]")
}
