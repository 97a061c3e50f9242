package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// found is a part that exists on this machine.
type found struct {
	part native.Part
	native.Location
}

// fetch fetches missing parts, and writes its progress to progress.
func (r *report) fetch(ctx context.Context, named []native.Part, progress io.Writer) {
	r.section("fetch")
	name, next := "default parts", version.Fetch
	if len(named) > 0 {
		var names []string
		for _, p := range named {
			names = append(names, string(p))
		}
		name, next = strings.Join(names, ", "), version.Fetch+" "+strings.Join(names, " ")
	}
	if err := native.EnsureAll(ctx, native.EnsureOptions{Progress: progress}, named...); err != nil {
		if unsafe, ok := errors.AsType[*native.UnsafeError](err); ok {
			next = unsafe.Mend + " && " + next
		} else if r.noPip != nil && needPip(named) {
			next = installPip + next
		} else {
			next = "fix the error of the fetch above, then " + next
		}
		r.fail(name, err.Error(), next)
		return
	}
	r.line(name, "ok")
}

// export writes the files of parts for a platform to a folder, and its progress to progress.
func (r *report) export(ctx context.Context, dir, platform string, named []native.Part, progress io.Writer) {
	r.section("export to " + dir)
	names, err := native.Export(ctx, dir, native.ExportOptions{Platform: platform, Progress: progress}, named...)
	if err != nil {
		next := "fix the error of the export above"
		if unsafe, ok := errors.AsType[*native.UnsafeError](err); ok {
			next = unsafe.Mend
		} else if r.noPip != nil && needPip(named) {
			next = strings.TrimSuffix(installPip, ", then ")
		}
		r.fail("files", err.Error(), next+", then try again")
		return
	}
	r.line("files", strings.Join(names, "\n"))
	r.line("sha256", fmt.Sprintf("in %s; compare with `sha256sum -c %[1]s`", "SHA256SUMS"))
	r.line("there run", command+" -import "+filepath.Base(dir))
}

// imports takes parts from files and folders, and writes its progress to progress.
func (r *report) imports(ctx context.Context, paths []string, progress io.Writer) {
	r.section("import")
	parts, err := native.Import(ctx, native.ImportOptions{Progress: progress}, paths...)
	if err != nil {
		next := "fix the error of the import above, then try again"
		if unsafe, ok := errors.AsType[*native.UnsafeError](err); ok {
			next = unsafe.Mend + ", then try again"
		} else if unpinned, ok := errors.AsType[*native.UnpinnedError](err); ok {
			next = "get the file anew instead of " + unpinned.Path + ", then try again"
		}
		r.fail("files", err.Error(), next)
		return
	}
	for _, p := range parts {
		r.line(string(p), "ok")
	}
}

// parts prints where each part is and returns the ones that exist.
func (r *report) parts(named []native.Part) []found {
	r.section("native parts")
	var all []found
	var missing []native.Part
	for _, p := range native.Parts() {
		title, needed := string(p)+" (optional)", required(p, named)
		if needed {
			title = string(p) + " (required)"
		}
		location, err := native.Find(p)
		var notFound *native.NotFoundError
		unsafe, isUnsafe := errors.AsType[*native.UnsafeError](err)
		switch {
		case isUnsafe:
			r.fail(title, err.Error(), unsafe.Mend+" && "+command)
		case err == nil:
			version := location.Version
			if version == "" {
				version = "version not known"
			}
			r.line(title, fmt.Sprintf("%s, %s, %s", location.Source, version, location.Path))
			all = append(all, found{p, location})
		case !errors.As(err, &notFound):
			next := "set CALLIOPE_CACHE to the absolute path of a directory"
			if os.Getenv(p.Env()) != "" {
				next = "correct or unset " + p.Env()
			}
			r.fail(title, err.Error(), next+", then "+command)
		case needed:
			r.line(title, "MISSING, looked at\n"+strings.Join(notFound.Looked, "\n"))
			missing = append(missing, p)
		case notFound.Problem != "":
			r.fail(title, "the library in the cache is not used: "+notFound.Problem, version.Fetch+" "+string(p))
		case p.Fetchable():
			r.line(title, "not fetched")
		default:
			r.line(title, fmt.Sprintf("there is no build for %s/%s", runtime.GOOS, runtime.GOARCH))
		}
	}
	if len(missing) > 0 {
		r.mustRun(cmp.Or(r.noCache, r.getCommand(missing)))
	}
	return all
}

// required reports whether a part must exist: a default part, a part that is named, and, if
// nothing can be fetched, the part without which nothing works.
func required(p native.Part, named []native.Part) bool {
	defaults := native.DefaultParts()
	return slices.Contains(defaults, p) || slices.Contains(named, p) || len(defaults) == 0 && p == native.MLIR
}

// needPip reports whether pip fetches any of the parts; none means the default parts.
func needPip(parts []native.Part) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(p native.Part) bool { return p != native.LLVM })
}

// getCommand returns the command that gets the parts.
func (r *report) getCommand(missing []native.Part) string {
	next := version.Fetch
	onlyDefaults := true
	var names []string
	for _, p := range missing {
		if !p.Fetchable() {
			return fmt.Sprintf("set %s to the path of the %s, then %s", p.Env(), p, command)
		}
		names = append(names, string(p))
		onlyDefaults = onlyDefaults && slices.Contains(native.DefaultParts(), p)
	}
	if !onlyDefaults {
		next += " " + strings.Join(names, " ")
	}
	if r.noPip != nil && needPip(missing) {
		return installPip + next
	}
	return next
}

// check prints whether the libraries are unchanged since they were fetched.
func (r *report) check(all []found) {
	r.section("sha256")
	for _, f := range all {
		switch err := f.Check(); {
		case err != nil && f.Source == native.FromCache:
			r.fail(string(f.part), err.Error(),
				fmt.Sprintf("rm -r %q && %s %s", filepath.Dir(f.Path), version.Fetch, string(f.part)))
		case err != nil:
			r.fail(string(f.part), err.Error(), f.repairCommand(true))
		case f.Source == native.FromCache && f.part == native.LLVM:
			r.line(string(f.part), "ok: the library is unchanged since it was linked here, the ones it needs match the pins")
		case f.Source == native.FromCache:
			r.line(string(f.part), "ok: as pinned")
		default:
			r.line(string(f.part), "readable; the sha256 is known for fetched libraries only")
		}
	}
	if len(all) == 0 {
		r.line("nothing to check", "")
	}
}

// repairCommand returns the command that repairs a library.
func (f found) repairCommand(checked bool) string {
	switch {
	case f.Source == native.FromEnvironment:
		return "correct or unset " + f.part.Env() + ", then " + command
	case f.Source == native.FromExecutable:
		return fmt.Sprintf("remove %s or replace it, then %s", f.Path, command)
	case f.Source == native.FromSystem:
		return fmt.Sprintf("set %s to the path of a library other than %s, then %s", f.part.Env(), f.Path, command)
	case !checked:
		return command + " -check"
	}
	return askForHelp
}

const installPip = "install Python with pip, or uv, then "

const askForHelp = "report this, with everything above"
