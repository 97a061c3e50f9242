// Package raw is what the dialect packages share: the checks that stand between a
// user's values and C functions which check nothing.
package raw
