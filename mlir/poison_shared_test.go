//go:build !race

package mlir_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestRecoveredConcurrentUse checks that a program which recovers the panics of a context that several
// goroutines use at once goes on: the context is never entered again. The race detector reports such a use itself.
func TestRecoveredConcurrentUse(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for round := start; round < 100; round++ {
			fmt.Printf("%s%d round\n", mlirtest.CaseMark, round)
			c := mlirtest.Library(t).NewContext(mlir.ContextOptions{})
			var all sync.WaitGroup
			begin := make(chan struct{})
			for range 4 {
				all.Go(func() {
					<-begin
					poisonedBy(c)
				})
			}
			close(begin)
			all.Wait()
			check.Panics(t, "used the Context at once", func() { c.UnknownLocation() })
			check.NoError(t, c.Close())
		}
	})
}

// poisonedBy uses the context until that has panicked many times.
func poisonedBy(c *mlir.Context) {
	for panics := 0; panics < 50; {
		func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			typ, err := c.ParseType("tensor<2x?xf32>")
			if err == nil {
				c.ArrayAttribute(c.TypeAttribute(typ))
			}
		}()
	}
}
