// Package lapack serves the custom calls of LAPACK in modules that JAX lowered for the CPU.
//
// JAX lowers functions of jax.numpy.linalg, jax.scipy.linalg and jax.lax.linalg, such as
// cholesky, qr, svd and eigh, to calls of targets of XLA's typed FFI: lapack_dpotrf_ffi and
// so on. [Register] makes a plugin serve them:
//
//	plugin, err := bridge.Open(bridge.OpenOptions{})
//	…
//	err = lapack.Register(plugin)
//
// Modules then compile and run unchanged. [Targets] lists the targets: the 15 routines that
// jaxlib registers (trsm, getrf, geqrf, geqp3, orgqr and ungqr, ormqr and unmqr, potrf, gesdd,
// gesvd, syevd and heevd, geev, gees, gehrd, sytrd and hetrd, gtsv), each for f32, f64, c64 and
// c128. The operands, results and attributes of each are those of jaxlib's handlers, which
// are defined in jaxlib/cpu/lapack_kernels.cc. Targets without _ffi, of older versions of JAX, have
// another calling convention and are not served.
//
// The library is the native part [native.LAPACK], or any LAPACK for Fortran with 32-bit
// integers that CALLIOPE_LAPACK_LIBRARY names. It runs on XLA's threads and on XLA's memory.
// OpenBLAS divides large matrices over threads of its own: OPENBLAS_NUM_THREADS limits them.
//
// # Calls
//
// Leading dimensions of an operand are those of a batch: LAPACK is called once for each
// matrix. Matrices are column-major, as JAX's calls request by operand_layouts and
// result_layouts. A module that requests another layout gets wrong results, because XLA does
// not tell a handler the layout.
//
// A matrix that LAPACK cannot factor is not an error. The result info, one s32 for each
// matrix, is then not 0: JAX's code in the module tests it, and usually puts NaN in place of the
// results. geev and gees do not read matrices that are not finite: info is -4 or -5, which is
// LAPACK's number of the matrix's argument with the sign of an argument that is not valid.
// Results that a routine has not computed, because an attribute asks for less or because info
// is not 0, are 0 or NaN.
//
// XLA of jaxlib 0.10 and later may end the process while it compiles a call with matrices
// without rows or columns, because of their layout. It does so in JAX, too. An empty batch is
// safe.
//
// A call whose attributes are not those of its target does not compile. A call whose operands
// and results do not fit together fails its run with an error.
package lapack
