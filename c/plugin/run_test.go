package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestRunsInOrder starts runs of a handler on several threads, which go on behind Execute, each on the result of the
// one before, and uses and deletes the buffers meanwhile.
func TestRunsInOrder(t *testing.T) {
	l, err := dl.Open(cctest.Library(t,
		filepath.Join(cctest.Root(), "internal", "run", "ffihost", "testdata", "handlers.c")))
	check.NoError(t, err)
	handler := l.Symbol("asynchronous")
	target := fmt.Sprintf("seven_%p", handler) // which is another one when the test runs again
	check.NoError(t, ffihost.Register(target, "Host", ffihost.Bundle{Execute: handler}))
	c, err := newClient("test", 2)
	check.NoError(t, err)
	defer c.free()
	p, err := c.compile([]byte(`func.func @main(%x: tensor<2000xi32> {jax.buffer_donor = true}) -> tensor<2000xi32> {
		%0 = stablehlo.custom_call @`+target+`(%x) {api_version = 4 : i32,
			output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
				operand_tuple_indices = []>]} : (tensor<2000xi32>) -> tensor<2000xi32>
		%1 = stablehlo.add %0, %x : tensor<2000xi32>
		return %1 : tensor<2000xi32>
	}`), nil)
	check.NoError(t, err)
	check.Diff(t, "goes on behind Execute", true, p.apart)
	var wait sync.WaitGroup
	for thread := range 4 {
		wait.Go(func() {
			d := c.devices[thread%2]
			zeros := tensor.View{Shape: tensor.ShapeOf(tensor.S32, 2000), Data: make([]byte, 8000)}
			a, err := engine.HostArray(t.Context(), zeros)
			check.Report(t, err)
			b := d.spaces[0].with(a)
			for range 20 {
				x := &execution{on: []*device{d}, in: [][]*buffer{{b}}, given: []bool{true}}
				check.Report(t, p.start(x))
				_, err := copyTo(x.out[0][0], c.devices[0].spaces[1])
				check.Report(t, err)
				b.free()
				b = x.out[0][0]
			}
			check.Report(t, b.read(func(data []byte) error {
				check.Diff(t, "20 times seven", byte(140), data[0])
				return nil
			}))
			check.Report(t, b.take())
			b.delete()
			check.Error(t, b.take(), "deleted")
			b.giveBack()
			b.free()
		})
	}
	wait.Wait()
	check.NoError(t, p.close())
	for _, d := range c.devices {
		check.Report(t, d.last.until())
	}
}
