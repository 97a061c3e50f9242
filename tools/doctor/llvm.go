package main

import (
	"context"
	"io"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// linkLLVM makes a library of the LLVM in a folder, or of the newest one if that is "auto", tries
// it, and prints how programs use it. It writes its progress to progress.
func (r *report) linkLLVM(ctx context.Context, dir string, progress io.Writer) {
	r.section("LLVM")
	prefix := dir
	if dir == "auto" {
		prefix = ""
	}
	at, err := native.LinkLLVM(ctx, prefix, native.EnsureOptions{Progress: progress})
	if err != nil {
		r.fail("library", err.Error(), "follow the advice above, then "+command+" -llvm "+dir)
		return
	}
	r.line("library", at.Version+", "+at.Path)
	if !withC {
		r.line("not tried", "this program was built without cgo")
		return
	}
	next := "give another LLVM, or run " + version.Fetch + " " + string(native.LLVM)
	if r.job(ctx, tryMLIR, []string{native.MLIR.Env() + "=" + at.Path}, next) {
		r.line("in one program", "mlir.Open(mlir.OpenOptions{Path: \""+at.Path+"\"})")
		r.line("in every program", "export "+native.MLIR.Env()+"="+at.Path)
	}
}
