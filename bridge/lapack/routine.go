package lapack

// A routine is one of LAPACK, or of BLAS, in its variants for the element types.
type routine struct {
	operands, results int
	attributes        []attribute
	variants          []variant
}

// A variant is a routine for one element type.
type variant struct {
	name string // LAPACK's
	run  func(*call) error
}

// target returns the name of the custom call target.
func (v variant) target() string { return "lapack_" + v.name + "_ffi" }

var (
	upLo      = attribute{name: "uplo", chars: "LU"}
	svdMode   = attribute{name: "mode", chars: "ASNO", refused: "O"}
	eigenMode = attribute{name: "mode", chars: "NV"}
)

// routines has the routines that jaxlib registers.
var routines = []*routine{
	{2, 1, []attribute{{name: "side", chars: "LR"}, upLo, {name: "trans_x", chars: "NTC"}, {name: "diag", chars: "NU"}},
		[]variant{
			{"strsm", trsm[float32]}, {"dtrsm", trsm[float64]}, {"ctrsm", trsm[complex64]}, {"ztrsm", trsm[complex128]},
		}},
	{1, 3, nil, []variant{
		{"sgetrf", getrf[float32]}, {"dgetrf", getrf[float64]}, {"cgetrf", getrf[complex64]},
		{"zgetrf", getrf[complex128]},
	}},
	{1, 2, nil, []variant{
		{"sgeqrf", geqrf[float32]}, {"dgeqrf", geqrf[float64]}, {"cgeqrf", geqrf[complex64]},
		{"zgeqrf", geqrf[complex128]},
	}},
	{2, 3, nil, []variant{
		{"sgeqp3", geqp3[float32, float32]}, {"dgeqp3", geqp3[float64, float64]},
		{"cgeqp3", geqp3[complex64, float32]}, {"zgeqp3", geqp3[complex128, float64]},
	}},
	{2, 1, nil, []variant{
		{"sorgqr", orgqr[float32]}, {"dorgqr", orgqr[float64]}, {"cungqr", orgqr[complex64]},
		{"zungqr", orgqr[complex128]},
	}},
	{3, 1, []attribute{{name: "left", kind: true}, {name: "transpose", kind: true}}, []variant{
		{"sormqr", ormqr[float32]}, {"dormqr", ormqr[float64]}, {"cunmqr", ormqr[complex64]},
		{"zunmqr", ormqr[complex128]},
	}},
	{1, 2, []attribute{upLo}, []variant{
		{"spotrf", potrf[float32]}, {"dpotrf", potrf[float64]}, {"cpotrf", potrf[complex64]},
		{"zpotrf", potrf[complex128]},
	}},
	{1, 5, []attribute{svdMode}, []variant{
		{"sgesdd", gesdd[float32, float32]}, {"dgesdd", gesdd[float64, float64]},
		{"cgesdd", gesdd[complex64, float32]}, {"zgesdd", gesdd[complex128, float64]},
	}},
	{1, 5, []attribute{svdMode}, []variant{
		{"sgesvd", gesvd[float32, float32]}, {"dgesvd", gesvd[float64, float64]},
		{"cgesvd", gesvd[complex64, float32]}, {"zgesvd", gesvd[complex128, float64]},
	}},
	{1, 3, []attribute{upLo, eigenMode}, []variant{
		{"ssyevd", syevd[float32, float32]}, {"dsyevd", syevd[float64, float64]},
		{"cheevd", syevd[complex64, float32]}, {"zheevd", syevd[complex128, float64]},
	}},
	{1, 5, []attribute{{name: "compute_left", chars: "NV"}, {name: "compute_right", chars: "NV"}}, []variant{
		{"sgeev", geev[float32, complex64]}, {"dgeev", geev[float64, complex128]},
	}},
	{1, 4, []attribute{{name: "compute_left", chars: "NV"}, {name: "compute_right", chars: "NV"}}, []variant{
		{"cgeev", geevComplex[complex64, float32]}, {"zgeev", geevComplex[complex128, float64]},
	}},
	{1, 6, []attribute{eigenMode, {name: "sort", chars: "NS", refused: "S"}}, []variant{
		{"sgees", gees[float32]}, {"dgees", gees[float64]},
	}},
	{1, 5, []attribute{eigenMode, {name: "sort", chars: "NS", refused: "S"}}, []variant{
		{"cgees", geesComplex[complex64, float32]}, {"zgees", geesComplex[complex128, float64]},
	}},
	{1, 3, []attribute{{name: "low", kind: int32(0)}, {name: "high", kind: int32(0)}}, []variant{
		{"sgehrd", gehrd[float32]}, {"dgehrd", gehrd[float64]}, {"cgehrd", gehrd[complex64]},
		{"zgehrd", gehrd[complex128]},
	}},
	{1, 5, []attribute{upLo}, []variant{
		{"ssytrd", sytrd[float32, float32]}, {"dsytrd", sytrd[float64, float64]},
		{"chetrd", sytrd[complex64, float32]}, {"zhetrd", sytrd[complex128, float64]},
	}},
	{4, 5, nil, []variant{
		{"sgtsv", gtsv[float32]}, {"dgtsv", gtsv[float64]}, {"cgtsv", gtsv[complex64]}, {"zgtsv", gtsv[complex128]},
	}},
}
