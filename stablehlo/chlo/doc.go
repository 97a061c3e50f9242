// Package chlo is the CHLO dialect: operations of client libraries that StableHLO's
// passes expand into StableHLO, among them those with implicit broadcasting.
//
// Its operations are structs as in package stablehlo, with the same rules.
package chlo
