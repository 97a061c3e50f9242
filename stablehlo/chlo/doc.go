// Package chlo implements the CHLO dialect: operations of client libraries that
// StableHLO's passes expand into StableHLO. Some of them broadcast implicitly.
//
// Its operations are structs as in package stablehlo, with the same rules.
package chlo
