package jaxtargets

import "testing"

func TestIsLAPACK(t *testing.T) {
	for target, want := range map[string]bool{
		"lapack_dpotrf_ffi": true, "lapack_cungqr_ffi": true, "lapack_zheevd_ffi": true, "lapack_ssyevd_ffi": true,
		"lapack_dungqr_ffi": false, "lapack_zsyevd_ffi": false, "lapack_dpotrf": false, "blas_dtrsm": false,
		"lapack__ffi": false, "lapack_d_ffi": false, "lapack_xpotrf_ffi": false, "": false,
	} {
		if got := IsLAPACK(target); got != want {
			t.Errorf("IsLAPACK(%q) = %t", target, got)
		}
	}
}
