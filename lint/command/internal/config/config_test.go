package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var testRules = []string{"outfeed", "infeed", "after-all"}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Config
	}{
		{"empty", "", Config{}},
		{"comments", "# nothing\n", Config{}},
		{"null", "---\n", Config{}},
		{"everything", `
strict: true
known-targets: [mine, "other.target"]
rules:
  outfeed: warning
  after-all: off
ignore:
  - path: testdata/**
  - path: "*.pb.mlir"
    rules: [outfeed, infeed]
    reason: generated
`, Config{Strict: true, KnownTargets: []string{"mine", "other.target"},
			Levels: map[string]Level{"outfeed": "warning", "after-all": Off},
			Ignores: []Ignore{{Path: "testdata/**"},
				{Path: "*.pb.mlir", Rules: []string{"outfeed", "infeed"}, Reason: "generated"}}}},
		{"aliases", "rules:\n  outfeed: &x off\n  infeed: *x\n",
			Config{Levels: map[string]Level{"outfeed": Off, "infeed": Off}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.FromSlash("/a/b/.mlir-lint.yaml")
			got, err := Parse(file, Name, []byte(test.text), testRules)
			check.NoError(t, err)
			test.want.File = file
			if test.want.Levels == nil {
				test.want.Levels = map[string]Level{}
			}
			if diff := cmp.Diff(test.want, *got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestExtends checks what a configuration takes over from another one, and what not.
func TestExtends(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"base/all.yaml": "rules: {outfeed: off, infeed: note}\n" +
			"ignore: [{path: gen/**}, {path: x.mlir, rules: [infeed]}]",
		"base/more.yaml": "extends: all.yaml\nknown-targets: [a]\nstrict: true",
		"m/" + Name: "rules: {outfeed: error}\nextends: ../base/more.yaml\n" +
			"known-targets: [b]\nignore: [{path: y, rules: [outfeed]}]",
		"self.yaml": "extends: self.yaml",
		"one.yaml":  "strict: true\nextends: two.yaml", "two.yaml": "extends: one.yaml",
		"wrong.yaml": "extends: ./bad.yaml", "bad.yaml": "strict: 1",
		"none.yaml": "extends: no.yaml", "folder.yaml": "extends: base", "list.yaml": "extends: [a]",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		check.NoError(t, err)
	}
	t.Chdir(dir)
	c, err := NewFinder(testRules).For(filepath.Join(dir, "m"))
	check.NoError(t, err)
	want := Config{File: filepath.Join(dir, "m", Name), Levels: map[string]Level{"outfeed": "error", "infeed": "note"},
		KnownTargets: []string{"a", "b"}, Strict: true, Ignores: []Ignore{{Path: "y", Rules: []string{"outfeed"}}}}
	if diff := cmp.Diff(want, *c, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for file, want := range map[string][]string{
		"base/gen/a.mlir": {"all"}, "m/gen/a.mlir": nil, "m/y": {"outfeed"}, "base/x.mlir": {"infeed"},
	} {
		rules, all := c.Ignored(filepath.Join(dir, filepath.FromSlash(file)))
		if all {
			rules = []string{"all"}
		}
		if diff := cmp.Diff(want, rules); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	for name, want := range map[string]string{
		"self.yaml":   "self.yaml:1:10: extends: self.yaml extends this file",
		"one.yaml":    "two.yaml:1:10: extends: one.yaml extends this file",
		"wrong.yaml":  "bad.yaml:1:9: strict is \"1\", and must be true or false",
		"none.yaml":   "none.yaml:1:10: extends: no.yaml cannot be read: ",
		"folder.yaml": "folder.yaml:1:10: extends: base is not a regular file",
		"list.yaml":   "list.yaml:1:10: extends is a list, and must be a text",
	} {
		if _, err := Fixed(name, testRules); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestMistakes checks the error of each mistake.
func TestMistakes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"rules:\n  outfed: off\n", `c:2:3: there is no rule "outfed", did you mean "outfeed": choose from after-all, infeed, outfeed`},
		{"rules:\n  x: off\n", `c:2:3: there is no rule "x": choose from after-all, infeed, outfeed`},
		{"rule:\n", `c:1:1: there is no key "rule", did you mean "rules": choose from allow-unregistered, extends, ignore, known-targets, rules, strict, target-stablehlo`},
		{"{[a]: b}\n", `c:1:2: there is no key "": choose from allow-unregistered, extends, ignore, known-targets, rules, strict, target-stablehlo`},
		{"rules:\n  outfeed: waring\n", `c:2:12: there is no severity "waring", did you mean "warning": choose from error, warning, note, off`},
		{"rules:\n  outfeed: 3\n", `c:2:12: the severity of outfeed is "3", and must be a text`},
		{"rules:\n  outfeed:\n", `c:2:11: the severity of outfeed is empty, and must be a text`},
		{"rules: [outfeed]\n", `c:1:8: rules is a list, and must be a mapping (key: value)`},
		{"rules: {outfeed: off, outfeed: error}\n", `c:1:23: "outfeed" occurs twice`},
		{"strict: yes please\n", `c:1:9: strict is "yes please", and must be true or false`},
		{"strict: {}\n", `c:1:9: strict is a mapping, and must be true or false`},
		{"target-stablehlo: 1.13\n", `c:1:19: target-stablehlo is "1.13", and must be a text`},
		{"target-stablehlo: v1.13.3\n",
			`c:1:19: "v1.13.3" is not a version of StableHLO: use the form 1.13.3`},
		{"allow-unregistered: mine\n",
			`c:1:21: allow-unregistered is "mine", and must be true or false, or a list of dialects`},
		{"allow-unregistered: [1]\n", `c:1:22: an entry of allow-unregistered is "1", and must be a text`},
		{"known-targets: mine\n", `c:1:16: known-targets is "mine", and must be a list`},
		{"known-targets: [1]\n", `c:1:17: an entry of known-targets is "1", and must be a text`},
		{"ignore:\n  - rules: [outfeed]\n", `c:2:5: an entry of ignore has no path`},
		{"ignore:\n  - testdata\n", `c:2:5: an entry of ignore is "testdata", and must be a mapping (key: value)`},
		{"ignore:\n  - path: a\n    rules: [outfeed, infed]\n", `c:3:22: there is no rule "infed", did you mean "infeed": choose from outfeed, infeed, after-all`},
		{"ignore: [{path: 'a[b'}]\n",
			`c:1:17: "a[b": the pattern is not well formed: close each [, and do not end it with \`},
		{"ignore: [{path: ../a}]\n", `c:1:17: "../a": a path must not leave the folder of the configuration`},
		{"ignore: [{path: ''}]\n", `c:1:17: path is an empty text, and must be a text`},
		{"a: b: c\n", `c:1:1: this is not YAML: mapping values are not allowed in this context`},
		{"\n\n\tx\n", `c:3:1: this is not YAML: found character that cannot start any token`},
		{"a: *b\n", `c:1:1: this is not YAML: unknown anchor 'b' referenced`},
		{"strict: true\n---\nstrict: false\n", `c:1:1: this is not YAML: there is more than one document`},
		{"text\n", `c:1:1: the configuration is a text, and must be a mapping (key: value)`},
	} {
		_, err := Parse("/a/c", "c", []byte(test.text), testRules)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern string
		yes, no []string
	}{
		{"a.mlir", []string{"a.mlir", "x/a.mlir"}, []string{"b.mlir", "a.mlirbc"}},
		{"/a.mlir", []string{"a.mlir"}, []string{"x/a.mlir"}},
		{"*.mlir", []string{"a.mlir", "x/y/b.mlir"}, []string{"a.bc"}},
		{"testdata", []string{"testdata/a.mlir", "x/testdata/y/b.mlir"}, []string{"testdata2/a"}},
		{"testdata/", []string{"testdata/a.mlir"}, []string{"a"}},
		{"x/*/a", []string{"x/y/a"}, []string{"x/a", "x/y/z/a", "v/x/y/a"}},
		{"x/**/a", []string{"x/a", "x/y/a", "x/y/z/a", "x/y/a/b"}, []string{"y/a"}},
		{"./x/**", []string{"x/a", "x/y/a"}, []string{"y/a"}},
		{"**", []string{"a", "x/a"}, nil},
		{"[ab]?", []string{"a1", "b2"}, []string{"c1", "a"}},
		{"**/**/**/**/**/**/**/**/**/**/**/**/z", nil,
			[]string{"a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"}},
	} {
		for _, name := range test.yes {
			if !Match(test.pattern, name) {
				t.Errorf("%s does not match %s", test.pattern, name)
			}
		}
		for _, name := range test.no {
			if Match(test.pattern, name) {
				t.Errorf("%s matches %s", test.pattern, name)
			}
		}
	}
}

func TestIgnored(t *testing.T) {
	c := Config{File: "/r/x.yaml", Ignores: []Ignore{
		{Path: "a/**", Rules: []string{"outfeed"}}, {Path: "*.x", Rules: []string{"outfeed", "infeed"}}, {Path: "gone"},
	}}
	for file, want := range map[string]struct {
		rules []string
		all   bool
	}{
		"/r/b.mlir":   {},
		"/r/a/b.mlir": {rules: []string{"outfeed"}},
		"/r/a/b.x":    {rules: []string{"infeed", "outfeed"}},
		"/r/gone/b":   {all: true},
	} {
		rules, all := c.Ignored(file)
		if diff := cmp.Diff(want.rules, rules); diff != "" || all != want.all {
			t.Errorf("%s: all %v, (-want +got):\n%s", file, all, diff)
		}
	}
}

// TestFinder checks that the nearest configuration is found, and that its errors stay with the
// files below it.
func TestFinder(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		Name:                    "strict: true\n",
		"a/b/" + Name:           "rules: {outfeed: off}\n",
		"bad/" + Name:           "x: y\n",
		"folder/" + Name + "/x": "",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	f := NewFinder(testRules)
	for folder, strict := range map[string]bool{"": true, "a": true, "a/b": false, "a/b/c/d": false} {
		c, err := f.For(filepath.Join(root, folder))
		if err != nil || c.Strict != strict {
			t.Errorf("%q: %v, %v", folder, c, err)
		}
	}
	for folder, want := range map[string]string{
		"bad/x":  `bad/.mlir-lint.yaml:1:1: there is no key "x": choose from allow-unregistered, extends, ignore, known-targets, rules, strict, target-stablehlo`,
		"folder": "folder/.mlir-lint.yaml:1:1: the configuration cannot be read: it is not a regular file",
	} {
		if _, err := f.For(filepath.Join(root, folder)); err == nil ||
			err.Error() != filepath.Join(root, filepath.FromSlash(want)) {
			t.Errorf("%q: %v", folder, err)
		}
	}
	if _, err := Fixed(filepath.Join(root, "none"), testRules); err == nil {
		t.Error("a missing file is accepted")
	}
	fixed, err := Fixed(os.DevNull, testRules)
	check.NoError(t, err)
	if c, err := fixed.For(filepath.Join(root, "bad")); err != nil || c.Strict {
		t.Errorf("%v, %v", c, err)
	}
}

// FuzzParse checks that a configuration is accepted or refused with a position in it.
func FuzzParse(f *testing.F) {
	f.Add("rules: {outfeed: off}\nignore: [{path: a}]\nstrict: true\nknown-targets: [x]\n")
	f.Add("a: &a [*a]\n? b\n: c")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("/a/c", "c", []byte(text), testRules)
		var mistake *Error
		if err != nil &&
			(!errors.As(err, &mistake) || mistake.Line < 1 || mistake.Column < 1 || mistake.Message == "") {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil {
			c.Ignored("/a/b/c.mlir")
		}
	})
}

// TestSecrets checks that a configuration in a tree reads nothing outside of it, and that errors have no content.
func TestSecrets(t *testing.T) {
	tree, home := t.TempDir(), t.TempDir()
	secret := filepath.Join(home, "id")
	check.NoError(t, os.WriteFile(secret, []byte("-----BEGIN KEY-----\nsecret\n-----END KEY-----\n"), 0o600))
	check.NoError(t, os.MkdirAll(filepath.Join(tree, ".git"), 0o755))
	check.NoError(t, os.WriteFile(filepath.Join(tree, "key"), []byte("secret\nsecret\n"), 0o600))
	for name, extends := range map[string]string{"absolute": secret, "relative": "../../" + filepath.Base(home) + "/id",
		"link": "id", "none": filepath.Join(home, "none"), "inside": "../key", "itself": ""} {
		dir := filepath.Join(tree, name)
		check.NoError(t, os.MkdirAll(dir, 0o755))
		file := filepath.Join(dir, Name)
		if name == "link" {
			check.NoError(t, os.Symlink(secret, filepath.Join(dir, "id")))
		}
		if name == "itself" {
			check.NoError(t, os.Symlink(secret, file))
		} else {
			check.NoError(t, os.WriteFile(file, []byte("extends: '"+extends+"'\n"), 0o600))
		}
		_, err := NewFinder(testRules).For(dir)
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "BEGIN") {
			t.Errorf("%s: %v", name, err)
		}
		if outside := strings.Contains(err.Error(), "out"); outside != (name != "inside") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
