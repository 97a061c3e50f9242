//go:build engines

package tests

import (
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestOwnPlugin runs programs on c/plugin by its path alone: the engines' contract, callbacks on several devices and in
// an order, and the programs of documents.
func TestOwnPlugin(t *testing.T) {
	names := []string{
		"TestContractOfEngines", "TestDevicePolicies", "TestOnceOfReplicas", "TestOrderOverDevices",
		"TestFailureOnOneDevice", "TestSequence", "TestConditionCalls", "TestBranchesKeepValues", "TestTapIf",
		"TestJAXVersions", "TestReadme", "TestTutorial",
	}
	nativetest.OnPlugin(t, nativetest.OwnPlugin(t), "-test.run=^("+strings.Join(names, "|")+")$", names...)
}

// TestBesideXLA runs on XLA, on c/plugin and on package jit in one process, at the same time. Both Go runtimes use one
// MLIR library, and faults of callbacks are panics.
func TestBesideXLA(t *testing.T) {
	nothing := new(struct{ next *int })
	cb := registered(t, func(f *callbacks.Frame) error {
		if f.Args[0].At(0).(float32) == 0 {
			*nothing.next = 1
		}
		copy(f.Results[0].Data, f.Args[0].Data)
		return nil
	})
	engines := []engine.Engine{jit.Engine()}
	for _, path := range []string{"", nativetest.OwnPlugin(t)} {
		c := check.Must(check.Must(bridge.Open(bridge.OpenOptions{Path: path})).NewClient(bridge.ClientOptions{}))
		check.Cleanup(t, c)
		engines = append(engines, c.Engine())
	}
	var wait sync.WaitGroup
	for _, e := range engines {
		wait.Go(func() {
			for range 10 {
				p := compileOn(t, e, false, func(x builder.Value) []builder.Value {
					return []builder.Value{builder.Passthrough(builder.Add(x, 1), cb)}
				})
				for range 100 {
					got, err := p.Call(t.Context(), tensor.Vector[float32](1, 2))
					check.Report(t, err)
					check.Diff(t, "results", []tensor.View{tensor.Vector[float32](2, 3)}, got)
				}
				_, err := p.Call(t.Context(), tensor.Vector[float32](-1, 2))
				check.Error(t, err, "nil pointer dereference")
			}
		})
	}
	wait.Wait()
}
