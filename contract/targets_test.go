package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
)

func TestIsLAPACKTarget(t *testing.T) {
	for target, want := range map[string]bool{
		"lapack_dpotrf_ffi": true, "lapack_cungqr_ffi": true, "lapack_zheevd_ffi": true, "lapack_ssyevd_ffi": true,
		"lapack_dungqr_ffi": false, "lapack_zsyevd_ffi": false, "lapack_dpotrf": false, "blas_dtrsm": false,
		"lapack__ffi": false, "lapack_d_ffi": false, "lapack_xpotrf_ffi": false, "": false,
	} {
		if got := contract.IsLAPACKTarget(target); got != want {
			t.Errorf("IsLAPACKTarget(%q) = %t", target, got)
		}
	}
}

func TestTargetsOfOthers(t *testing.T) {
	type known struct {
		XLA    contract.XLATarget
		Python contract.PythonTarget
		Ours   bool
	}
	for target, want := range map[string]known{
		"calliope_io_callback":           {Ours: true},
		"xla_ffi_python_cpu_callback":    {Python: contract.PythonByIndex},
		"xla_python_gpu_callback":        {Python: contract.PythonByAddress},
		"xla_buffer_python_cpu_callback": {Python: contract.PythonByAddress},
		"TopK":                           {XLA: contract.XLACompiled},
		"xla.sdy.GlobalToLocalShape":     {XLA: contract.XLAPartitioned},
		"xla.sdy.Later":                  {XLA: contract.XLAElsewhere},
		"MoveToHost":                     {XLA: contract.XLAElsewhere},
		"SliceToDynamic":                 {XLA: contract.XLAInternal},
		"__gpu$gemm":                     {XLA: contract.XLAElsewhere},
		"all-gather-start":               {XLA: contract.XLAElsewhere},
		"mine-start":                     {},
		"mine":                           {},
	} {
		got := known{contract.XLATargetOf(target), contract.PythonTargetOf(target), contract.IsTarget(target)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}
