package jaxexport

import (
	"fmt"
	"strconv"
)

// A pytree is the structure of the arguments or of the results: JAX's PyTreeDef.
type pytree struct {
	kind     uint64
	names    []string // of the children of a dictionary
	children []pytree
	leaves   int
}

// The values of PyTreeDefKind that matter here.
const (
	kindLeaf = 0
	kindDict = 4
)

// The fields of the table PyTreeDef.
const (
	fieldKind = iota
	fieldChildren
	fieldNames
)

// maxTree limits how deep a tree is nested.
const maxTree = 1000

func (r *reader) pytree(t table, depth int) pytree {
	p := pytree{kind: t.number(fieldKind, 1), names: t.texts(fieldNames)}
	if p.kind == kindLeaf {
		p.leaves = 1
		return p
	}
	children := t.tables(fieldChildren)
	if len(children) > 0 && depth == maxTree {
		r.fail(fmt.Errorf("its arguments are nested deeper than %d", maxTree))
		return p
	}
	for _, child := range children {
		c := r.pytree(child, depth+1)
		p.leaves += c.leaves
		p.children = append(p.children, c)
	}
	return p
}

// InputPath returns the place of an input in the arguments of the function, as Python writes it, such as args[0]['w'].
// The children of a class are numbered. It returns "" if the file does not say the place.
func (e *Exported) InputPath(i int) string {
	args := e.arguments // a tuple, and a dictionary of what is passed by name
	if len(args.children) != 2 || args.leaves != len(e.Inputs) || i < 0 || i >= args.leaves {
		return ""
	}
	path := "args"
	p := args.children[0]
	if i >= p.leaves {
		i -= p.leaves
		path, p = "kwargs", args.children[1]
	}
	for p.kind != kindLeaf {
		at := 0
		for i >= p.children[at].leaves {
			i -= p.children[at].leaves
			at++
		}
		key := strconv.Itoa(at)
		if p.kind == kindDict && at < len(p.names) {
			key = "'" + p.names[at] + "'"
		}
		path += "[" + key + "]"
		p = p.children[at]
	}
	return path
}
