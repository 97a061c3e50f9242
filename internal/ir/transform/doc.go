// Package transform has what transformations of functions share: they copy a function, inline what it
// calls, create operations in it, and remove those that nothing uses.
//
// A transformation that cannot go on panics with a [Failure], by [Must] or [Check]. The function that
// users call recovers it: see [Catch].
package transform
