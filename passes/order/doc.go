// Package order proves that the calls of each effect of a module are ordered: it finds the pairs of them of which
// neither depends on the other. It works on IR alone, and does not change the module. Package contract/callop finds and
// reads callbacks.
package order
