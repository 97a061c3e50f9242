package legacy_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// BenchmarkCall measures one call without the runtime around it: of C and of Go, flat and with tuples.
func BenchmarkCall(b *testing.B) {
	one := func(n int) (list []tensor.View) {
		for range n {
			list = append(list, tensor.Scalar[int32](1))
		}
		return list
	}
	for name, test := range map[string]struct {
		f      *legacy.Function
		tuples string
		frame  callbacks.Frame
	}{
		"C": {check.Must(library(b).Function("root")), "", callbacks.Frame{Args: one(1), Results: one(1)}},
		"C with tuple": {check.Must(library(b).Function("tuples")), "(.,(.,.),.)->(.,.)",
			callbacks.Frame{Args: one(4), Results: one(2)}},
		"Go": {legacy.Go(func(out legacy.Value, in []legacy.Value) { copy(out.Data, in[0].Data) }), "",
			callbacks.Frame{Args: one(1), Results: one(1)}},
	} {
		b.Run(name, func(b *testing.B) {
			version := int64(1)
			if test.f.Form() == legacy.HostStatus {
				version = 2
			}
			var r callbacks.Registry
			check.NoError(b, test.f.Register(&r, "f", callbacks.Options{}))
			f := test.frame
			f.Name = "f"
			f.Config = contract.Config{Form: contract.Call, Callback: "f",
				Legacy: contract.Legacy{Version: version, Tuples: test.tuples}}
			slot := check.Must(dispatch.ResolveIn(&r, f.Config))
			defer slot.Close()
			call := dispatchtest.New(&f, -1)
			b.ReportAllocs()
			for b.Loop() {
				check.NoError(b, call.Invoke(slot, nil))
			}
		})
	}
}
