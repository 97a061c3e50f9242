package mlir_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// BenchmarkDetached makes so many detached regions, and erases them.
func BenchmarkDetached(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := mlirtest.Context(b)
			regions := make([]mlir.Region, n)
			for b.Loop() {
				for i := range regions {
					regions[i] = c.NewRegion()
				}
				for _, r := range regions {
					check.NoError(b, r.Erase())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/region")
		})
	}
}
