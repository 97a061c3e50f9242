package jit_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestFreedArrays runs a module while Go's collector marks, after it has freed the arrays of the run before.
func TestFreedArrays(t *testing.T) {
	e := compile(t, `func.func @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
		%0 = stablehlo.negate %x : tensor<100000xf32>
		return %0 : tensor<100000xf32> }`)
	call := func() {
		_, err := e.Call(t.Context(), array(t, make([]float32, 100000), 100000))
		check.NoError(t, err)
	}
	many := make([]*int, 1<<20) // which marking takes some time for
	for i := range many {
		many[i] = new(int)
	}
	for range 5 {
		call()
		runtime.GC() // which frees its arrays
		marked := make(chan bool)
		go func() {
			defer close(marked)
			runtime.GC()
		}()
		time.Sleep(time.Millisecond)
		call()
		<-marked
	}
	runtime.KeepAlive(many)
}
