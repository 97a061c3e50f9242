package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/native"
)

// The jobs of child processes.
const (
	inspectMLIR   = "inspect mlir"
	inspectPlugin = "inspect pjrt"
	inspectCUDA   = "inspect cuda"
	inspectLAPACK = "inspect lapack"
	tryMLIR       = "try mlir"
	tryIR         = "build and run without XLA"
	tryAll        = "build and run"
)

// try opens each part that was found, and then runs the self-test with them.
func (r *report) try(ctx context.Context, all []found, checked bool) {
	if !withC {
		return // the machine's section reports it
	}
	works := map[native.Part]bool{}
	var env []string // use the libraries that were found
	for _, f := range all {
		r.section(f.part.String())
		job, library := inspectMLIR, native.MLIR.Env()
		switch {
		case slices.Contains(native.Plugins(), f.part):
			job, library = inspectPlugin, native.PJRTPlugin.Env()
		case f.part == native.CUDA:
			job, library = inspectCUDA, native.PJRTPlugin.Env()
		case f.part == native.LAPACK:
			job, library = inspectLAPACK, native.LAPACK.Env()
		}
		works[f.part] = r.job(ctx, job, []string{library + "=" + f.Path}, f.repairCommand(checked))
		if f.part == native.MLIR || f.part == native.PJRTPlugin {
			env = append(env, library+"="+f.Path)
		}
	}
	r.section("self-test")
	switch {
	case !works[native.MLIR]:
		r.line("not tried", "it needs the "+native.MLIR.String())
	case works[native.PJRTPlugin]:
		r.job(ctx, tryAll, env, askForHelp)
	default:
		r.job(ctx, tryIR, env, askForHelp)
		why := "it needs the " + native.PJRTPlugin.String()
		if !native.PJRTPlugin.Fetchable() {
			why += fmt.Sprintf(", of which there is no build for %s/%s", runtime.GOOS, runtime.GOARCH)
		}
		r.line("run on XLA", "not tried: "+why)
	}
}

// lacking matches what the loader of Linux says of a library that another one needs.
var lacking = regexp.MustCompile(`([^\s/:]+\.so[^\s/:]*): cannot open shared object file`)

// job prints the steps of a job and reports whether all of them succeeded. next is the
// command for the user if one failed.
func (r *report) job(ctx context.Context, name string, env []string, next string) bool {
	well := true
	var log io.Writer
	if r.vlog != "" && name == tryAll {
		log, env = r.log, append(env, vlogEnv+"="+r.vlog)
	}
	runJob(ctx, name, defaultLimit, env, log, func(s step) {
		switch {
		case strings.Contains(s.Problem, "XLA_FLAGS"):
			// An unknown flag is an error of bridge. XLA ends the process for a value of the wrong type.
			r.fail(s.Name, s.Problem, "env -u XLA_FLAGS "+command)
			well = false
		case lacking.MatchString(s.Problem):
			r.fail(s.Name, s.Problem, "install the package of the system that has "+
				lacking.FindStringSubmatch(s.Problem)[1]+", then "+command)
			well = false
		case s.Problem != "":
			r.fail(s.Name, s.Problem, next)
			well = false
		case s.Text == "":
			r.line(s.Name, "ok")
		default:
			r.line(s.Name, s.Text)
		}
	})
	return well
}
