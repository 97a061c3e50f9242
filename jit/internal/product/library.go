package product

import (
	"sync"

	"github.com/calliope-mlir/calliope/internal/run/fortran"
	"github.com/calliope-mlir/calliope/jit/internal/runtime"
	"github.com/calliope-mlir/calliope/native"
)

// Found opens the BLAS library of the part LAPACK when it is first called, and reports whether there is one. It fetches
// nothing.
var Found = sync.OnceValue(func() bool {
	found, err := native.Find(native.LAPACK)
	if err != nil {
		return false
	}
	library, err := fortran.Open(found.Path, "dgemm")
	if err != nil {
		return false
	}
	single, err := library.Routine("sgemm")
	if err != nil {
		return false
	}
	double, err := library.Routine("dgemm")
	if err != nil {
		return false
	}
	// Its threads spin while they wait for one another. Where other work keeps processors busy, that takes many times
	// as long as one thread alone.
	library.SetThreads(1)
	runtime.SetProducts(single.Address(), double.Address())
	return true
})
