package command_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
)

// A variant is a form of a module: its name, the extension of its file, and how it is made of the text.
type variant struct {
	name, extension string
	of              func(t *testing.T, text string) []byte
}

var variants = []variant{
	{"text", ".mlir", func(_ *testing.T, text string) []byte { return []byte(text) }},
	{"with locations", ".loc.mlir", func(t *testing.T, text string) []byte {
		m := check.Must(mlirtest.Context(t).Parse("program.py", []byte(text)))
		return []byte(m.Operation().Print(mlir.PrintOptions{DebugInfo: true}))
	}},
	{"bytecode", ".mlirbc", func(t *testing.T, text string) []byte {
		return check.Must(check.Must(mlirtest.Context(t).Parse("program.py", []byte(text))).Operation().Bytecode())
	}},
}

// withForeign adds an operation of a dialect that the library does not know to main.
func withForeign(text string) string {
	return mainLine.ReplaceAllString(text, "$0\n  \"mine.op\"() : () -> ()")
}

var mainLine = regexp.MustCompile(`(?m)^ *func\.func (public )?@main\(.*$`)

// unportable are the rules that say nothing about modules with another dialect.
var unportable = map[string]bool{"stablehlo-version": true, "unused-function": true}

// refused are the rules about modules that only text can have, because the library refuses them.
var refused = map[string]bool{"alias-whole-tuple": true}

const variantsConfig = `
rules: {f64: note, jax-spelling: note, large-constant: note, legacy-adapter: note, placement: note}
known-targets: [mine]
target-stablehlo: 1.3.0
`

// TestVariants checks each rule on a bad and a good module, which were written from the documents of the rules and the
// specification. They are in testdata/variants/RULE.mlir, in this order, and the line with the finding ends in
// "// bad". The rule finds the same in all forms of the modules: with locations of another program, in bytecode, in a
// part of a text, and beside an operation of another dialect.
func TestVariants(t *testing.T) {
	t.Parallel()
	root, config := t.TempDir(), writeFile(t, t.TempDir(), "c.yaml", variantsConfig)
	dir, foreign := filepath.Join(root, "known"), filepath.Join(root, "foreign")
	check.NoError(t, errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(foreign, 0o755)))
	modules := map[string][2]string{}
	for _, a := range rules.All() {
		text := string(check.Must(os.ReadFile(filepath.Join("testdata/variants", a.Name+".mlir"))))
		bad, good, ok := strings.Cut(text, "// -----\n")
		if !ok {
			t.Fatalf("%s has no good module", a.Name)
		}
		modules[a.Name] = [2]string{bad, good}
		for _, v := range variants {
			if v.extension == ".mlir" || !refused[a.Name] {
				check.NoError(t, os.WriteFile(filepath.Join(dir, a.Name+".bad"+v.extension), v.of(t, bad), 0o644))
			}
			check.NoError(t, os.WriteFile(filepath.Join(dir, a.Name+".good"+v.extension), v.of(t, good), 0o644))
		}
		writeFile(t, dir, a.Name+".split.mlir", good+"// -----\n"+bad+"// -----\n"+good)
		writeFile(t, foreign, a.Name+".bad.mlir", withForeign(bad))
		writeFile(t, foreign, a.Name+".good.mlir", withForeign(good))
	}
	found := linesOf(execute("", "-split-input-file", "-config", config, dir).Stdout +
		execute("", "-allow-unregistered-dialect", "-config", config, foreign).Stdout)
	for name, m := range modules {
		t.Run(name, func(t *testing.T) {
			lineOf := func(text string) int { return 1 + strings.Count(text[:strings.Index(text, "// bad")], "\n") }
			at := lineOf(m[0])
			want := func(file string, lines ...string) {
				t.Helper()
				check.Diff(t, "the lines with findings in "+file, lines, found[filepath.Join(dir, file)+" "+name])
				for _, line := range found[filepath.Join(dir, file)+" invalid"] {
					if !refused[name] {
						t.Errorf("%s:%s is invalid", file, line)
					}
				}
			}
			want(name+".bad.mlir", fmt.Sprint(at))
			want(name+".split.mlir", fmt.Sprint(at+1+strings.Count(m[1], "\n")))
			if !unportable[name] {
				want("../foreign/"+name+".bad.mlir", fmt.Sprint(lineOf(withForeign(m[0]))))
			}
			want("../foreign/" + name + ".good.mlir")
			for _, v := range variants {
				want(name + ".good" + v.extension)
				if refused[name] || v.extension == ".mlir" {
					continue
				}
				file := filepath.Join(dir, name+".bad"+v.extension)
				lines := found[file+" "+name]
				if v.extension == ".mlirbc" {
					want(name+".bad.mlirbc", "1") // bytecode has no lines
				} else if len(lines) != 1 || lines[0] == "1" && at > 1 {
					t.Errorf("%s: the lines with findings are %v, want one", file, lines)
				}
			}
		})
	}
}

var findingLine = regexp.MustCompile(`(?m)^(.+?):(\d+):\d+: .* \[([a-z0-9-]+)\]$`)

// linesOf returns the lines of the findings in a report, by file and rule.
func linesOf(report string) map[string][]string {
	found := map[string][]string{}
	for _, m := range findingLine.FindAllStringSubmatch(report, -1) {
		found[m[1]+" "+m[3]] = append(found[m[1]+" "+m[3]], m[2])
	}
	return found
}
