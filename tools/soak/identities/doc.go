// Package identities holds XLA against StableHLO's reference interpreter: random programs of integers and
// floating-point numbers, most of them identities that compilers simplify, which is where they go wrong.
package identities
