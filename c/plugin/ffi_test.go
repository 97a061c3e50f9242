package main

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestSites ends a call site with the attributes of its program.
func TestSites(t *testing.T) {
	l, err := dl.Open(cctest.Library(t,
		filepath.Join(cctest.Root(), "internal", "run", "ffihost", "testdata", "handlers.c")))
	check.NoError(t, err)
	made := &target{sites: map[siteKey]*ffihost.Site{},
		bundle: ffihost.Bundle{Instantiate: l.Symbol("instantiate"), Execute: l.Symbol("add")}}
	x, y := tensor.Vector[int32](1), tensor.Vector[int32](0)
	for start := range int32(2) {
		f := &callbacks.Frame{Args: []tensor.View{x}, Results: []tensor.View{y}, Attributes: callbacks.Attributes{
			{Name: "start", Value: start}, {Name: "a", Value: int32(0)}, {Name: "note", Value: "a"}}}
		for range 2 {
			check.NoError(t, made.call(f))
		}
		check.Diff(t, "the second result", start+2, check.Must(tensor.Slice[int32](y))[0])
	}
	for range 100 {
		runtime.GC()
		made.mu.Lock()
		n := len(made.sites)
		made.mu.Unlock()
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the call sites stay")
}
