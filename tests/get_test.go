package tests

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestGet gets each module of this repository as a stranger does once there is a release: from a proxy, into a module
// outside of the clone, which follows no replacement of ours. It builds a program on each, and installs mlir-lint.
func TestGet(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	const release = "@v" + version.Version
	dir := t.TempDir()
	proxies := []string{"file://" + filepath.Join(dir, "proxy")}
	var own struct{ GOMODCACHE, GOPROXY, GOFLAGS string }
	check.NoError(t, json.Unmarshal(check.Must(exec.Command("go", "env", "-json").Output()), &own))
	proxies = append(proxies, "file://"+filepath.Join(own.GOMODCACHE, "cache", "download"), own.GOPROXY)
	// A cache of modules of its own keeps what is no release out of that of the user. The folder of a module is no part
	// of what -trimpath builds, so the cache of builds serves the next test, too.
	env := append(os.Environ(), "GOPROXY="+strings.Join(proxies, ","), "GOSUMDB=off", "GOWORK=off", "GOBIN="+dir,
		"GOMODCACHE="+filepath.Join(dir, "modules"), "GOFLAGS="+own.GOFLAGS+" -trimpath -modcacherw")
	run := func(t *testing.T, folder string, command ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir, cmd.Env = folder, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	publish(t, filepath.Join(dir, "proxy"))

	// use makes a module with a program, and builds it.
	use := func(t *testing.T, program string, commands ...string) (folder string) {
		t.Helper()
		folder = t.TempDir()
		check.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o666))
		run(t, folder, "go", "mod", "init", "example.com/stranger")
		for _, command := range commands {
			run(t, folder, strings.Fields(command)...)
		}
		run(t, folder, "go", "build", "-o", "program", ".")
		return folder
	}
	t.Run("calliope", func(t *testing.T) {
		folder := use(t, `package main

import (
	"context"
	"fmt"

	"`+module+`"
	"`+module+`/builder"
)

func main() {
	fmt.Println(calliope.Call[[]float32](context.Background(), calliope.Func(builder.Neg), []float32{1, 2}))
}
`, "go get "+module+release)
		check.Diff(t, "it prints", "[-1 -2] <nil>\n", run(t, folder, "./program"))
		sums := string(check.Must(os.ReadFile(filepath.Join(folder, "go.sum"))))
		for _, tools := range []string{"modernc.org/", "jrpc2", "yaml", "udiff", "rogpeppe"} { // as RATIONALE.md says
			if strings.Contains(sums, tools) {
				t.Errorf("go.sum of a program has what only tools need: %s\n%s", tools, sums)
			}
		}
	})
	t.Run("mlir-lint", func(t *testing.T) {
		run(t, dir, "go", "install", module+"/tools/mlir-lint"+release)
		if got := run(t, dir, filepath.Join(dir, "mlir-lint"), "-version"); !strings.Contains(got, version.Version) {
			t.Errorf("mlir-lint -version prints %q", got)
		}
	})
	t.Run("gomlx", func(t *testing.T) {
		folder := use(t, "package main\n\nimport _ \""+module+"/gomlx\"\n\nfunc main() {}\n",
			"go get "+module+"/gomlx"+release)
		// As docs/gomlx.md says. Programs with it are linked in TestGoXLA.
		run(t, folder, "go", "mod", "edit", "-replace", "github.com/gomlx/gopjrt="+module+"/gomlx/gopjrt"+release)
		run(t, folder, "go", "get", module+"/gomlx"+release)
		run(t, folder, "go", "build", "github.com/gomlx/gopjrt/...")
	})
}

// publish writes the modules that the tracked files of this checkout have to a folder, in the form of a proxy.
func publish(t *testing.T, proxy string) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = ".."
	files := strings.Split(strings.TrimSuffix(string(check.Must(cmd.Output())), "\x00"), "\x00")
	zips := map[string]*zip.Writer{}
	contents := map[string]*bytes.Buffer{}
	for _, file := range files {
		if path.Base(file) == "go.mod" {
			contents[path.Dir(file)] = new(bytes.Buffer)
			zips[path.Dir(file)] = zip.NewWriter(contents[path.Dir(file)])
		}
	}
	const v = "v" + version.Version
	for _, file := range files {
		info, err := os.Lstat(filepath.Join("..", file))
		if err != nil || !info.Mode().IsRegular() { // it was removed, or is a link, which no module has
			continue
		}
		root := path.Dir(file)
		for zips[root] == nil {
			root = path.Dir(root)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(file, root), "/")
		w := check.Must(zips[root].Create(path.Join(module, root) + "@" + v + "/" + name))
		check.Must(w.Write(check.Must(os.ReadFile(filepath.Join("..", file)))))
	}
	for root, z := range zips {
		check.NoError(t, z.Close())
		folder := filepath.Join(proxy, filepath.FromSlash(path.Join(module, root)), "@v")
		check.NoError(t, os.MkdirAll(folder, 0o777))
		write := func(name string, data []byte) {
			t.Helper()
			check.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o666))
		}
		write("list", []byte(v+"\n"))
		write(v+".info", []byte(`{"Version":"`+v+`"}`))
		write(v+".mod", check.Must(os.ReadFile(filepath.Join("..", root, "go.mod"))))
		write(v+".zip", contents[root].Bytes())
	}
}
