//go:build linux

package bridge

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/cuda/cudatest"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

var ontos atomic.Int32

// XLA for the CPU runs modules whose calls find their arrays in the memory of the device that
// stands in for a GPU. They are calls of a host, whose handlers do not know the platform.
func TestDeviceRuns(t *testing.T) {
	const typ = "tensor<2xf32>"
	target := fmt.Sprintf("test.onto_device.%d", ontos.Add(1)) // a target is registered once
	g := cudatest.Open(t)
	c := testClient(t)
	instantiate, execute, err := serve.Handlers(target)
	check.NoError(t, err)
	onto := g.Stream().Onto(t, check.Must(ffi.Table(testPlugin(t).pjrt.RegisterHandler)), instantiate, execute)
	check.NoError(t, onto.Register(target))
	call := func(form contract.Form, config, operands, types, results string) string {
		return strings.Replace(custom(form, config, operands, types, results), "@"+form.Target(), "@"+target, 1)
	}
	run := func(t *testing.T, e *Executable) ([]float32, error) {
		out, err := e.Run(t.Context(), view(t, []float32{1, 2}, 2))
		if err != nil {
			return nil, err
		}
		return host[float32](t, out[0]), nil
	}
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			var fail atomic.Bool
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				if fail.Load() {
					return errors.New("no")
				}
				in := check.Must(tensor.Slice[float32](f.Args[0]))
				for _, r := range f.Results {
					for i := range in {
						check.Must(tensor.Slice[float32](r))[i] = 10 * in[i]
					}
				}
				return nil
			})
			config := fmt.Sprintf("callback = %q", name)
			bodies := map[contract.Form]string{
				contract.Call: "%a = stablehlo.add %x, %x : " + typ + "\n%y = " +
					call(contract.Call, config, "%a, %x", typ+", "+typ, typ) + "\n",
				contract.Passthrough: "%a = stablehlo.add %x, %x : " + typ + "\n%y = " +
					call(contract.Passthrough, config, "%a", typ, typ) + "\n",
			}
			copies := map[contract.Form][3]int{contract.Call: {2, 1, 1}, contract.Passthrough: {1, 1, 1}}
			for form, body := range bodies {
				e := compile(t, c, mainFunc("%x: "+typ, typ, body+"return %y : "+typ), engine.CompileOptions{})
				for range 3 {
					before := g.Counts()
					got, err := run(t, e)
					check.NoError(t, err)
					check.Diff(t, "result", []float32{20, 40}, got)
					n := g.Counts().Since(before)
					check.Diff(t, "copies and waits", copies[form], [...]int{n.ToHost, n.ToDevice, n.Waits})
				}
				fail.Store(true)
				_, err := run(t, e)
				check.Error(t, err, fmt.Sprintf("callback %q on device 0: no", name))
				fail.Store(false)
				g.Fail(t, "cuMemcpyHtoDAsync_v2", cudatest.OutOfMemory, 0)
				_, err = run(t, e)
				check.Error(t, err, "cuMemcpyHtoDAsync: CUDA_ERROR_OUT_OF_MEMORY")
			}
		})
	}
}
