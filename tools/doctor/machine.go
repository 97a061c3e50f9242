package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// machine prints the system and tools with which the toolkit is built and run.
func (r *report) machine(ctx context.Context) {
	r.section("machine")
	r.line("toolkit", toolkit())
	r.line("Go", fmt.Sprintf("%s %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	compiler, err := compiler(ctx)
	switch {
	case (withC || !supported) && err != nil:
		r.line("C compiler", err.Error()) // it existed when this was compiled, or is not needed
	case withC || !supported:
		r.line("C compiler", compiler)
	case err != nil:
		r.fail("C compiler", err.Error(), "install a C compiler (gcc or clang), then "+command)
	default:
		r.fail("C compiler", compiler+", but this program was built without cgo", "CGO_ENABLED=1 "+command)
	}
	if r.noPip != nil {
		r.line("pip", r.noPip.Error()+" (only fetching needs it)")
	} else {
		r.line("pip", r.pip)
	}
	r.cache()
}

// cache prints where fetched parts are.
func (r *report) cache() {
	dir, err := native.CacheDir()
	if err != nil {
		r.without(err.Error(), "set CALLIOPE_CACHE to the absolute path of a directory, then "+command)
		return
	}
	size, err := folderSize(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := canMake(dir); err != nil {
			r.without(fmt.Sprintf("%s does not exist and cannot be made: %v", dir, err),
				"set CALLIOPE_CACHE to a directory that can be written, then "+command)
			return
		}
		r.line("cache", dir+", does not exist yet")
	case err != nil:
		r.fail("cache", err.Error(), "make the directory "+dir+" readable, or set CALLIOPE_CACHE to another one")
	default:
		r.line("cache", fmt.Sprintf("%s, %d MB", dir, size/1e6))
	}
}

// without prints that there is no cache. If nobody chose one, that is a failure only where a part is missing: those
// beside the program need none.
func (r *report) without(problem, next string) {
	if os.Getenv("CALLIOPE_CACHE") != "" {
		r.fail("cache", problem, next)
		return
	}
	r.noCache = next
	r.line("cache", "none: "+problem+" (only fetching needs it)")
}

// toolkit returns the versions of this module and of gopjrt.
func toolkit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version"
	}
	modules := append([]*debug.Module{&info.Main}, info.Deps...)
	var texts []string
	for _, m := range modules {
		if strings.HasSuffix(m.Path, "/calliope") || strings.HasSuffix(m.Path, "/gopjrt") {
			if m.Version == "(devel)" { // built in a checkout, as what is released is
				m.Version = "v" + version.Version
			}
			texts = append(texts, fmt.Sprintf("%s %s", m.Path, m.Version))
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			texts = append(texts, "revision "+s.Value)
		}
	}
	return strings.Join(texts, ", ")
}

// compiler returns the path and version of the C compiler that Go uses.
func compiler(ctx context.Context) (string, error) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc, _ = output(ctx, "go", "env", "CC") // without go, cc is a good guess
	}
	if cc == "" {
		cc = "cc"
	}
	words := strings.Fields(cc) // it may contain flags
	path, err := program.Find(words[0])
	if err != nil {
		return "", fmt.Errorf("%s is not on PATH", words[0])
	}
	version, err := output(ctx, append(words, "--version")...)
	if err != nil {
		return "", err
	}
	return path + ", " + version, nil
}

// pip returns the first pip that starts, of those that package native tries.
func pip(ctx context.Context) (string, error) {
	for _, pip := range []string{"python3 -I -m pip", "python -I -m pip", "pip3", "pip", "uv tool run pip"} {
		if version, err := output(ctx, append(strings.Fields(pip), "--version")...); err == nil {
			return fmt.Sprintf("%s, %s", pip, version), nil
		}
	}
	return "", errors.New("none: no Python with pip, and no uv, starts")
}

// output returns the first line that a command prints.
func output(ctx context.Context, args ...string) (string, error) {
	const limit = 30 * time.Second // a cold start of Python from a slow disk takes seconds
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := program.Command(ctx, "", args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("`%s` failed: %w", strings.Join(args, " "), err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(first), nil
}

// canMake returns an error if a directory that does not exist cannot be made.
func canMake(dir string) error {
	at := dir
	for {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is no directory", at)
		case err == nil:
			// permissions do not say whether a file system is read-only
			probe, err := os.MkdirTemp(at, ".calliope-doctor-")
			if err == nil {
				err = os.Remove(probe)
			}
			return err
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at:
			return err
		}
		at = filepath.Dir(at)
	}
}

// folderSize returns the number of bytes in the files of a directory.
func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path != dir && errors.Is(err, fs.ErrNotExist) {
				return nil // another process is fetching
			}
			return err
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, err
}

// environment prints the variables that affect the toolkit or XLA.
func (r *report) environment() {
	r.section("environment")
	variables := os.Environ()
	slices.Sort(variables)
	none := true
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "CALLIOPE_") || name == "XLA_FLAGS" || name == "TF_CPP_MIN_LOG_LEVEL" {
			r.line(name, fmt.Sprintf("%q", value))
			none = false
		}
	}
	if none {
		r.line("nothing set", "")
	}
}

// supported reports whether the toolkit can work on this system.
const supported = runtime.GOOS == "linux" || runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// unsupported prints why it cannot.
func (r *report) unsupported() {
	r.section("native parts")
	err := native.EnsureAll(context.Background(), native.EnsureOptions{Offline: true})
	r.fail("all", fmt.Sprint(err),
		"use Linux (in WSL or a container, too), macOS or Windows")
}
