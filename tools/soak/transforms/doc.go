// Package transforms transforms functions of modules at random, by packages autodiff and vmap, and runs what they make.
//
// Everything about a seed is random: the module (modules.go), up to two transformations (step.go), the inputs
// (arrays.go), and what the last function is held to (check.go). A derivative along tangents is held to the one along
// cotangents, and to finite differences if the function is of operations that are smooth; a batch is held to the
// function on each element. Children (child.go) do this, because XLA may crash.
package transforms
