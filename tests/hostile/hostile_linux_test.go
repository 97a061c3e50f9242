package hostile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// functionVariable names the function that a child of the test calls.
const functionVariable = "CALLIOPE_HOSTILE_FUNCTION"

func TestMain(m *testing.M) {
	if call, ok := functions[os.Getenv(functionVariable)]; ok {
		fmt.Println("called:", call())
		os.Exit(0)
	}
	nativetest.Main(m, native.MLIR, native.PJRTPlugin)
}

// functions call each function of SECURITY.md that is tried, in the stranger's folder.
var functions = map[string]func() error{
	"calliope.Load": func() error {
		f, err := calliope.Load(context.Background(), "module.mlir", calliope.FuncOptions{})
		if err == nil {
			_, err = calliope.Call[float32](context.Background(), f)
		}
		return err
	},
	"npz.Open": func() error {
		f, err := npz.Open("arrays.npz")
		if err == nil {
			_, err = f.Array("in0", nil)
		}
		return err
	},
	"mlir.Context.ParseFile": func() error {
		l, err := mlir.Open(mlir.OpenOptions{})
		if err == nil {
			_, err = l.NewContext(mlir.ContextOptions{}).ParseFile("located.mlir")
		}
		return err
	},
	"jaxexport.Read": func() error {
		data, err := os.ReadFile("f.jaxexport")
		if err == nil {
			_, err = jaxexport.Read(data)
		}
		return err
	},
	"record.Open": func() error { _, err := record.Open("calls.record"); return err },
	"jit.Compile": func() error {
		l, err := mlir.Open(mlir.OpenOptions{})
		if err != nil {
			return err
		}
		m, err := l.NewContext(mlir.ContextOptions{}).ParseFile("system.mlir")
		if err != nil {
			return err
		}
		if _, err = jit.Compile(context.Background(), m, jit.Options{}); err == nil {
			return fmt.Errorf("it compiles a call of system")
		}
		return nil
	},
	"native.Find": func() error { _, err := native.Find(native.MLIR); return err },
}

const (
	module = `func.func @main() -> tensor<f32> {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  return %a : tensor<f32>
}
`
	located = "func.func @main() { return } loc(\"%s\":1:1)\n"
	system  = `llvm.func @system(!llvm.ptr) -> i32
llvm.mlir.global internal constant @c("touch RAN\00")
func.func @main() { %0 = llvm.mlir.addressof @c : !llvm.ptr
  %1 = llvm.call @system(%0) : (!llvm.ptr) -> i32
  return }
`
	reproducer = "func.func @main() { return }\n{-#\n  external_resources: {\n    mlir_reproducer: {\n" +
		"      pipeline: \"builtin.module(%s)\"\n    }\n  }\n#-}\n"
	fixable = `func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  return
}
`
)

// A stranger is a folder with traps, and what they are to reach.
type stranger struct {
	dir, home, temp, ran, secret string
	env                          []string
}

func newStranger(t *testing.T) stranger {
	t.Helper()
	top := check.Must(filepath.EvalSymlinks(t.TempDir()))
	s := stranger{dir: filepath.Join(top, "clone"), home: filepath.Join(top, "home"), temp: filepath.Join(top, "temp"),
		ran: filepath.Join(top, "ran"), secret: filepath.Join(top, "home", ".ssh", "id")}
	check.NoError(t, os.MkdirAll(s.temp, 0o755))
	s.put(t, s.secret, "secret words\n", 0o600)
	check.NoError(t, os.Mkdir(filepath.Join(s.home, ".config"), 0o700))
	trap := "#!/bin/sh\necho \"$0\" >> " + s.ran + "\n"

	// A repository whose configuration names programs, and a bare one among its files.
	config := strings.ReplaceAll("[core]\nrepositoryformatversion = 0\nbare = false\nfsmonitor = TRAP\n"+
		"hooksPath = hooks\nsshCommand = TRAP\n[filter \"x\"]\nclean = TRAP\nprocess = TRAP\n[diff]\nexternal = TRAP\n"+
		"[alias]\nls-files = !TRAP\n", "TRAP", s.dir+"/trap")
	for _, git := range []string{".git", "bare"} {
		s.put(t, git+"/HEAD", "ref: refs/heads/main\n", 0o644)
		s.put(t, git+"/config", config, 0o644)
		s.put(t, git+"/objects/x", "", 0o644)
		s.put(t, git+"/refs/x", "", 0o644)
	}
	s.put(t, ".gitattributes", "*.mlir filter=x diff=x\n", 0o644)

	// Programs, and files that programs read in the folder in which they start.
	for _, name := range strings.Fields("trap git sh bash python3 python pip3 bin/pip uv go gcc cc c++ ld apt-get " +
		"apt-cache dpkg-deb ldd llvm-config mlir-lint mlir-opt ptxas nvlink hooks/post-index-change hooks/pre-commit " +
		"cuda_sdk_lib/bin/ptxas cuda_sdk_lib/bin/nvlink bin/ptxas") {
		s.put(t, name, trap, 0o755)
	}
	code := "open('" + s.ran + "', 'a').write(__name__ + '\\n')\n"
	for _, name := range strings.Fields("pip.py pip/__init__.py pip/__main__.py runpy.py sitecustomize.py " +
		"usercustomize.py json.py calliope_mlir.py") {
		s.put(t, name, code, 0o644)
	}
	s.put(t, "go.mod", "module x\n\ngo 1.26\n\ntoolchain go9.99.9\n", 0o644)
	s.put(t, "go.env", "CC="+s.dir+"/trap\n", 0o644)
	s.put(t, "uv.toml", "[[index]]\nurl = \"http://localhost:1\"\n", 0o644)
	s.put(t, "pyvenv.cfg", "home = .\n", 0o644)
	for _, name := range strings.Fields("libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libz.so.1 " +
		"libgcc_s.so.1 libstdc++.so.6 libcuda.so.1 libMLIR-C.so libcalliope.so libscipy_openblas.so " +
		"pjrt_c_api_cpu_plugin.so xla_cpu_pjrt.so libTorchMLIRAggregateCAPI.so") {
		s.put(t, name, "no library", 0o755)
	}

	// Modules, files whose names look like flags, and links to what is outside.
	s.put(t, "module.mlir", module, 0o644)
	s.put(t, "located.mlir", fmt.Sprintf(located, s.secret), 0o644)
	s.put(t, "system.mlir", strings.ReplaceAll(system, "RAN", s.ran), 0o644)
	s.put(t, "writes.mlir", fmt.Sprintf(reproducer, "snapshot-op-locations{filename="+s.ran+"}"), 0o644)
	s.put(t, "runs.mlir", fmt.Sprintf(reproducer, "gpu-lower-to-nvvm-pipeline"), 0o644)
	s.put(t, "fix/fixable.mlir", fixable, 0o644)
	s.put(t, "-fix.mlir", module, 0o644)
	s.put(t, "--out=x.mlir", module, 0o644)
	s.put(t, "-add-ignores", module, 0o644)
	s.put(t, "extends/.mlir-lint.yaml", "extends: "+s.secret+"\n", 0o644)
	s.put(t, "extends/a.mlir", module, 0o644)
	for link, to := range map[string]string{
		"links/secret.mlir": s.secret, "links/up": "..", "linked/.mlir-lint.yaml": s.secret,
		"fix/secret.mlir": s.secret,
	} {
		check.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, link)), 0o755))
		check.NoError(t, os.Symlink(to, filepath.Join(s.dir, link)))
	}
	s.put(t, "linked/a.mlir", module, 0o644)
	check.NoError(t, npz.WriteFile(filepath.Join(s.dir, "arrays.npz"),
		[]npz.Named{{Name: "in0", View: tensor.Vector[float32](1, 2)}}))
	export := check.Must(os.ReadFile("../../stablehlo/jaxexport/testdata/static.jaxexport"))
	s.put(t, "f.jaxexport", string(export), 0o644)
	s.put(t, "calls.record", "CALLREC1", 0o644)

	path := []string{".", "", "bin", filepath.Dir(check.Must(exec.LookPath("go"))), "/usr/bin", "/bin"}
	s.env = []string{"HOME=" + s.home, "TMPDIR=" + s.temp, "CALLIOPE_CACHE=" + check.Must(native.CacheDir()),
		"CALLIOPE_LINT_CACHE=" + filepath.Join(top, "lint"), "LANG=C", "PATH=" + strings.Join(path, ":"),
		"PYTHONPATH=" + s.dir, "PYTHONSTARTUP=" + s.dir + "/pip.py", "GIT_DIR=" + s.dir + "/bare",
		"GIT_EXTERNAL_DIFF=" + s.dir + "/trap", "BASH_ENV=" + s.dir + "/trap", "ENV=" + s.dir + "/trap"}
	return s
}

// put writes a file, below the stranger's folder unless its path is absolute.
func (s stranger) put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check.NoError(t, os.WriteFile(path, []byte(content), mode))
}

// A row is what SECURITY.md allows a tool or a function.
type row struct{ runs, writes []string }

var quoted = regexp.MustCompile("`([^`]+)`")

// rows reads the tables of SECURITY.md.
func rows(t *testing.T) map[string]row {
	t.Helper()
	words := func(cell string) (list []string) {
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		return list
	}
	all := map[string]row{}
	for line := range strings.Lines(string(check.Must(os.ReadFile("../../SECURITY.md")))) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[1], "`") {
			continue
		}
		for _, name := range words(cells[1]) {
			all[name] = row{words(cells[2]), words(cells[4])}
		}
	}
	return all
}

// hold compares what was done with what a row allows. args are those of a tool.
func (s stranger) hold(t *testing.T, own string, r row, args []string, got trace) {
	t.Helper()
	for _, path := range got.runs {
		name := filepath.Base(path)
		switch {
		case path == own:
		case !filepath.IsAbs(path) || below(path, s.dir):
			t.Errorf("it runs %s, which may be the stranger's", path)
		case !slices.Contains(r.runs, name):
			t.Errorf("it runs %s, and SECURITY.md allows %q", path, r.runs)
		}
	}
	allowed := []string{"/dev", "/proc"}
	for _, word := range r.writes {
		folder := word
		for _, variable := range s.env {
			name, value, _ := strings.Cut(variable, "=")
			if rest, ok := strings.CutPrefix(folder, name); ok && (rest == "" || rest[0] == '/') {
				folder = value + rest
			}
		}
		if strings.HasPrefix(word, "-") && slices.Contains(args, word) { // beside the file that is named
			folder = filepath.Join(s.dir, filepath.Dir(args[len(args)-1]))
		}
		allowed = append(allowed, folder)
	}
	for _, path := range got.writes {
		if !slices.ContainsFunc(allowed, func(folder string) bool { return below(path, folder) }) {
			t.Errorf("it writes %s, and SECURITY.md allows %q", path, r.writes)
		}
	}
	for _, address := range got.connects {
		t.Errorf("it connects to %s", address)
	}
	if slices.Contains(got.reads, s.secret) || strings.Contains(got.out, "secret words") {
		t.Errorf("it reads %s", s.secret)
	}
	if ran, err := os.ReadFile(s.ran); err == nil {
		t.Errorf("the stranger's files ran:\n%s", ran)
		check.NoError(t, os.Remove(s.ran))
	}
	check.Diff(t, "the secret", "secret words\n", string(check.Must(os.ReadFile(s.secret))))
}

// TestHostileFolder runs each tool, and calls each function, in a stranger's folder, and compares what it does with
// SECURITY.md.
func TestHostileFolder(t *testing.T) {
	permitted(t)
	s, table := newStranger(t), rows(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "../../tools/mlir-lint", "../../tools/mlir-run",
		"../../tools/calliope-opt", "../../tools/doctor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tried := map[string]bool{}
	for _, test := range []struct{ command, want string }{
		{"mlir-lint .", "links/secret.mlir:1:1: error: it is a link out of the tree"},
		{"mlir-lint -new-from-rev HEAD .", "git"},
		{"mlir-lint -no-gitignore -- -fix.mlir --out=x.mlir", ""},
		{"mlir-lint extends", "is outside of the tree"},
		{"mlir-lint linked", "it is a link out of the tree"},
		{"mlir-lint -fix fix/fixable.mlir", "fixable.mlir"},
		{"mlir-lint -fix fix", "secret.mlir:1:1: error: it is a link out of the tree"},
		{"mlir-lint -quick .", "it is a link out of the tree"},
		{"mlir-run module.mlir", "out0 f32[] 1"},
		{"mlir-run --jit module.mlir", "out0 f32[] 1"},
		{"mlir-run --jit system.mlir", "llvm"},
		{"mlir-run --out fix/out.npz module.mlir", ""},
		{"mlir-run located.mlir", ""},
		{"calliope-opt --cse module.mlir", "stablehlo.constant"},
		{"calliope-opt --prepare -- --out=x.mlir", ""},
		{"calliope-opt --run-reproducer writes.mlir", "the option filename"},
		{"calliope-opt --run-reproducer runs.mlir", "the pass gpu-lower-to-nvvm-pipeline"},
		{"doctor -check=false", "all well"},
	} {
		t.Run(test.command, func(t *testing.T) {
			args := strings.Fields(test.command)
			name, own := args[0], filepath.Join(bin, args[0])
			if slices.Contains(args, "-quick") {
				name += " -quick"
			}
			r, ok := table[name]
			if !ok {
				t.Fatalf("SECURITY.md has no row for %s", name)
			}
			tried[name] = true
			got := follow(t, s.dir, s.env, append([]string{own}, args[1:]...)...)
			if !strings.Contains(got.out, test.want) || strings.Contains(got.out, "crashed") {
				t.Errorf("it printed\n%s\nwant %q", got.out, test.want)
			}
			if !slices.Contains(got.runs, own) {
				t.Fatal("the trace has no start of the tool, so the test shows nothing")
			}
			s.hold(t, own, r, args, got)
		})
	}
	for name := range functions {
		t.Run(name, func(t *testing.T) {
			r, ok := table[name]
			if !ok {
				t.Fatalf("SECURITY.md has no row for %s", name)
			}
			own := check.Must(os.Executable())
			got := follow(t, s.dir, append(s.env, functionVariable+"="+name), own)
			check.Diff(t, "what it printed", "called: <nil>\n", got.out)
			s.hold(t, own, r, nil, got)
		})
	}
	for name := range table {
		if tool := strings.Fields(name)[0]; !strings.Contains(tool, ".") && !tried[name] {
			t.Errorf("%s is in SECURITY.md, and the test does not try it", name)
		}
	}
}

// TestTraps springs the traps, so that a test that holds shows something.
func TestTraps(t *testing.T) {
	permitted(t)
	s := newStranger(t)
	for name, command := range map[string][]string{
		"a program": {"sh", "-c", "python3"}, "git": {"/usr/bin/git", "-C", ".", "status"},
		"Python": {"/usr/bin/python3", "-m", "pip"},
	} {
		plain := slices.DeleteFunc(slices.Clone(s.env), func(v string) bool { return strings.HasPrefix(v, "GIT_DIR") })
		follow(t, s.dir, plain, command...)
		if err := os.Remove(s.ran); err != nil {
			t.Errorf("%s does not spring its trap: %v", name, err)
		}
	}
	got := follow(t, s.dir, s.env, "/bin/sh", "-c",
		"cat links/secret.mlir; echo > written; mkdir made; mv made moved; rm written")
	for _, name := range []string{"written", "made", "moved"} {
		if !slices.Contains(got.writes, filepath.Join(s.dir, name)) {
			t.Errorf("the trace does not have %s: %q", name, got.writes)
		}
	}
	check.Diff(t, "the secret was read", true, slices.Contains(got.reads, s.secret))
	got = follow(t, s.dir, s.env, "/usr/bin/python3", "-I", "-c",
		"import socket; socket.socket().connect_ex(('127.0.0.1', 9))")
	check.Diff(t, "connections", 1, len(got.connects))
}
