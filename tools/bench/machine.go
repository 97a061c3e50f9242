package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// A fact is a line of a table: what, and the value.
type fact struct{ what, value string }

const unknown = "unknown"

// machine says where the figures were measured. What a system other than Linux does not tell is unknown.
func machine() []fact {
	read := func(file, pattern string) string {
		text, _ := os.ReadFile(file) // then nothing matches
		if m := regexp.MustCompile(pattern).FindSubmatch(text); m != nil {
			return string(m[1])
		}
		return unknown
	}
	memory := read("/proc/meminfo", `MemTotal: +(\d+) kB`)
	var kib float64
	if _, err := fmt.Sscan(memory, &kib); err == nil {
		memory = fmt.Sprintf("%.1f GiB", kib/(1<<20))
	}
	return []fact{
		{"CPU", read("/proc/cpuinfo", `model name\s*: (.*)`)},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"memory", memory},
		{"system", read("/etc/os-release", `PRETTY_NAME="(.*)"`) + ", " + runtime.GOOS + "/" + runtime.GOARCH},
		{"kernel", read("/proc/sys/kernel/osrelease", `(.*)`)},
		{"load average when it began", read("/proc/loadavg", `(\S+)`)},
	}
}

// versions says what was measured, and which peers there are.
func versions(ctx context.Context, s settings) ([]fact, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	plugin, err := openPlugin(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := native.Ensure(ctx, native.MLIR, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	ask := func(name string, args ...string) string {
		out, err := exec.CommandContext(ctx, name, args...).Output()
		if first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err == nil && first != "" {
			return first
		}
		return ""
	}
	module := func(folder, path string) string {
		return ask("go", "list", "-C", root+folder, "-m", "-f", "{{.Version}}", path)
	}
	python := func(name string) string {
		return ask(s.python, "-c", "import importlib.metadata as m; print(m.version('"+name+"'))")
	}
	commit := cmp.Or(ask("git", "-C", root, "describe", "--always", "--dirty"), unknown)
	list := []fact{
		{"Calliope", version.Version + ", commit " + commit},
		{"Go", runtime.Version()},
		{"plugin", fmt.Sprintf("%s, PJRT %s, FFI %s", release(native.PJRTPlugin), plugin.Info().PJRT,
			plugin.Info().FFI)},
		{"MLIR library", release(native.MLIR)},
	}
	for _, p := range []struct{ what, found, remedy string }{
		{"C, the floors", ask("cc", "--version"), "a C compiler"},
		{"gopjrt", module("", "github.com/gomlx/gopjrt"), "the module gopjrt"},
		{"go-xla, through GoMLX", module("/gomlx", "github.com/gomlx/go-xla"), "the folder gomlx"},
		{"Python", ask(s.python, "--version"), "-python"},
		{"JAX, and MLIR's Python bindings", python("jax"), "pip install jax"},
		{"torch-mlir's Python bindings", python("torch-mlir"), "pip install torch-mlir"},
	} {
		missing := "**missing**: what compares with it is left out; it needs " + p.remedy
		list = append(list, fact{p.what, cmp.Or(p.found, missing)})
	}
	return list, nil
}

// release names the release of a part, or the file that is used in its place.
func release(p native.Part) string {
	l, err := native.Find(p)
	switch {
	case err != nil:
		return unknown
	case l.Source == native.FromEnvironment:
		return l.Path
	}
	return p.Release()
}
