// Command release makes the files of a release, from a clean checkout:
//
//	go run ./tools/release [-o DIR] [-trial] PLATFORM[=CC]…
//
// A platform is linux/amd64, linux/arm64, windows/amd64 or darwin/arm64, and CC the C compiler for it. The default is
// gcc for this machine and Debian's cross compilers for Linux and Windows; .ci/darwin-cc makes one for macOS.
//
// For each platform the folder then has an archive of each tool and of libcalliope, and the wheels. Beside
// them are the crate for Rust, which cargo packs, SHA256SUMS, a bill of materials in SPDX, and the section of the
// changelog in NOTES.md. Each archive contains the licences of what is linked. The bytes depend only on the commit and
// the compilers.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	dir := flag.String("o", "release", "the `folder` of the files")
	trial := flag.Bool("trial", false, "allow changed files, and a changelog that calls the version unreleased")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *dir, *trial, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// tools are the commands of a release.
var tools = []string{"mlir-lint", "mlir-run", "calliope-opt", "doctor"}

// A build makes the files of one platform.
type build struct {
	ctx      context.Context
	platform platform
	env      []string // of the go command
	work     string   // a folder of its own
	dir      string   // of the release
	when     time.Time
	texts    []entry // that each archive has
}

// release writes the files of some platforms to a folder.
func release(ctx context.Context, dir string, trial bool, args []string) error {
	platforms, err := parse(args)
	if err != nil {
		return err
	}
	notes, err := section(trial)
	if err != nil {
		return err
	}
	when, err := commit(ctx, trial)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("-o: %w: name a folder that is not there yet", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "calliope-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	// These run here, whatever the platform that they build for.
	for _, helper := range []string{"./tools/wheel", "./c/install"} {
		if _, err := output(ctx, nil, "go", "build", "-o", work+string(filepath.Separator), helper); err != nil {
			return err
		}
	}
	var linked []module
	for _, p := range platforms {
		log.Printf("%s with %s", p.name(), p.cc)
		b := build{ctx: ctx, platform: p, work: work, dir: dir, when: when, env: append(os.Environ(),
			"GOOS="+p.os, "GOARCH="+p.arch, "CC="+p.cc, "CGO_ENABLED=1", "GOFLAGS=-trimpath -buildvcs=false")}
		modules, err := b.all()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		linked = append(linked, modules...)
	}
	if err := crate(ctx, work, dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "NOTES.md"), notes, 0o644); err != nil {
		return err
	}
	if err := writeBill(filepath.Join(dir, "calliope-"+version.Version+".spdx.json"), when, linked); err != nil {
		return err
	}
	return sums(dir)
}

// all makes the files of the platform, and returns the modules that are linked.
func (b build) all() ([]module, error) {
	modules, err := b.modules()
	if err != nil {
		return nil, err
	}
	if b.texts, err = texts(modules); err != nil {
		return nil, err
	}
	for _, tool := range tools {
		path := filepath.Join(b.work, tool+b.platform.executable())
		_, err := output(b.ctx, b.env, "go", "build", "-ldflags="+version.LinkFlags, "-o", path, "./tools/"+tool)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := b.archive(tool, []entry{{name: filepath.Base(path), data: data, mode: 0o755}}); err != nil {
			return nil, err
		}
	}
	prefix := filepath.Join(b.work, b.platform.name())
	if _, err := output(b.ctx, b.env, filepath.Join(b.work, "install"), "-prefix", prefix, "-strip"); err != nil {
		return nil, err
	}
	entries, err := below(prefix)
	if err != nil {
		return nil, err
	}
	if err := b.archive("libcalliope", entries); err != nil {
		return nil, err
	}
	for _, name := range []string{"mlir-lint", "calliope-mlir", "calliope-jax"} {
		_, err = output(b.ctx, b.env, filepath.Join(b.work, "wheel"), "-version", version.Version, "-o", b.dir, name)
		if err != nil {
			return nil, err
		}
	}
	return modules, nil
}

// commit returns the time of the commit. It is an error if files differ from it, unless it is a trial.
func commit(ctx context.Context, trial bool) (time.Time, error) {
	changed, err := output(ctx, nil, "git", "status", "--porcelain")
	if err != nil {
		return time.Time{}, err
	}
	if first, _, found := strings.Cut(string(changed), "\n"); found && !trial {
		return time.Time{}, fmt.Errorf("the checkout has changes: commit them, or use -trial (git status: %s)", first)
	}
	text, err := output(ctx, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// section returns the section of the changelog. Its version must be released, unless it is a trial.
func section(trial bool) ([]byte, error) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return nil, fmt.Errorf("%w: run it in the root of the checkout", err)
	}
	for part := range strings.SplitSeq(string(text), "\n## ") {
		heading, body, _ := strings.Cut(part, "\n")
		switch {
		case heading == version.Version || strings.HasPrefix(heading, version.Version+" "):
		case heading == "Unreleased: "+version.Version && trial:
		default:
			continue
		}
		return []byte(strings.TrimSpace(body) + "\n"), nil
	}
	return nil, fmt.Errorf("CHANGELOG.md has no section \"## %s\": name the version and the date there, or use -trial",
		version.Version)
}

// sums writes the checksums of the files in a folder.
func sums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}

// output runs a command in the root of the checkout, and returns what it prints.
func output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	return out, nil
}
