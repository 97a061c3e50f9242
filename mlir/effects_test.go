package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestMemoryEffects checks that a pass removes operations by the effects that Go code states.
func TestMemoryEffects(t *testing.T) {
	const text = `func.func private @g(memref<4xf32>) -> memref<4xf32>
func.func @f(%m: memref<4xf32>, %n: memref<4xf32>) {
  %0 = call @g(%m) : (memref<4xf32>) -> memref<4xf32>
  return
}`
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, test := range []struct {
			name    string
			effects func(mlir.Operation) []mlir.MemoryEffect
			stays   bool
			report  string
		}{
			{"none", func(mlir.Operation) []mlir.MemoryEffect { return nil }, false, ""},
			{"a read", func(op mlir.Operation) []mlir.MemoryEffect {
				return []mlir.MemoryEffect{{Kind: mlir.EffectRead, On: op.Operand(0)}}
			}, false, ""},
			{"a write to an operand", func(op mlir.Operation) []mlir.MemoryEffect {
				return []mlir.MemoryEffect{{Kind: mlir.EffectWrite, On: op.Operand(0)}}
			}, true, ""},
			{"a write to its result", func(op mlir.Operation) []mlir.MemoryEffect {
				return []mlir.MemoryEffect{{Kind: mlir.EffectAllocate, On: op.Result(0)},
					{Kind: mlir.EffectWrite, On: op.Result(0)}}
			}, false, ""},
			{"a write to any memory", func(op mlir.Operation) []mlir.MemoryEffect {
				return []mlir.MemoryEffect{{Kind: mlir.EffectWrite}}
			}, true, ""},
			{"a panic", func(op mlir.Operation) []mlir.MemoryEffect { panic("help") }, true,
				"the memory effects of func.call: mlir: panic: help"},
			{"a change", func(op mlir.Operation) []mlir.MemoryEffect {
				op.SetDiscardable("a.b", op.Context().UnitAttribute())
				return nil
			}, true, "changes operations"},
			{"no such kind", func(op mlir.Operation) []mlir.MemoryEffect { return []mlir.MemoryEffect{{Kind: 4}} },
				true, "there is no kind of effect with the number 4"},
			{"another value", func(op mlir.Operation) []mlir.MemoryEffect {
				return []mlir.MemoryEffect{{On: op.Block().Argument(1)}}
			}, true, "an effect is on a value that is neither an operand nor a result"},
		} {
			c := loose(t, e)
			err := c.SetMemoryEffects("func.call", test.effects)
			if !e.Library.Has("mlirMemoryEffectInstanceCreate") {
				mlirtest.Unsupported(t, err)
				return
			}
			check.NoError(t, err)
			check.Error(t, c.SetMemoryEffects("func.call", test.effects),
				"the operation func.call has memory effects already")
			check.Error(t, c.SetMemoryEffects("t.unknown", test.effects), "the library has no operation t.unknown")
			check.Error(t, c.SetMemoryEffects("func.call_indirect", nil), "need a function")
			var reports []string
			c.OnDiagnostic(func(d mlir.Diagnostic) { reports = append(reports, d.String()) })
			m := mlirtest.Parse(t, c, text)
			pm := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(func.func(canonicalize))"})
			check.NoError(t, pm.Run(m))
			check.Diff(t, test.name+": the call stays", test.stays, len(mlirtest.Find(m, "func.call")) > 0)
			all := strings.Join(reports, "\n")
			if test.report == "" && all != "" || !strings.Contains(all, test.report) {
				t.Errorf("%s: the reports are %q, want %q", test.name, all, test.report)
			}
			check.NoError(t, m.Verify())
		}
	})
}
