// Package autodiff makes the derivatives of functions of StableHLO modules, IR to IR.
//
// [JVP] and [VJP] make functions that compute derivatives along tangents and along cotangents.
// [Grad] and [ValueAndGrad] make the gradient of a function whose result is a scalar, and [JacFwd], [JacRev]
// and [Hessian] all derivatives. Each takes a func.func of any module, whatever made it, and adds functions to that
// module. The conventions are those of JAX: for complex numbers, for ties of maximum, for which operations have no
// derivative.
//
// # How it works
//
// A function is cloned and its calls are inlined. In forward mode, a JVP rule for each operation adds operations that
// compute the tangents of the results from those of the operands. A tangent that is zero does not
// exist. Reverse mode goes through the operations from the last to the first. What is linear in each operand, or
// works on each element, has a rule for cotangents. For the others, the JVP rule adds operations that are linear in
// the tangents. They are transposed, by the rules of linear operations, and then removed.
// A derivative therefore has no more operations than it needs, and can be differentiated again.
//
// Values of other types than floating-point and complex numbers have no tangents, as in JAX. An
// operation without a rule is an error if a derivative passes through it: a [*stablehlo.TransformError], which has the
// operation and its place. [Register] and [RegisterTarget] add rules for other dialects and for custom calls.
//
// # Effects
//
// Callbacks that only look at values are called once, in the forward part, with the primal values.
// The derivative of the values that a passthrough callback returns is that of its operands: it sees the tangents
// or, in a second call, the cotangents. A callback whose results are computed by the host has a derivative if its
// configuration names one ([contract.Config], JVP, VJP and Transpose); otherwise it is an error if one passes through
// it. The derivative keeps the order of all effects.
//
// # Memory
//
// [Remat] makes reverse mode compute values again instead of keeping them.
package autodiff
