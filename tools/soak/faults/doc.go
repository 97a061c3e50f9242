// Package faults breaks callbacks on purpose, in concurrent runs and in every way of
// dispatch, and checks the outcome: the process survives, each run ends with its own error,
// runs beside it are not disturbed, and no call is lost or made twice.
package faults
