package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oneType matches the conditions that one type satisfies.
var oneType = regexp.MustCompile(`^(i\d+|f\d+|index|!acc\.\w+)$`)

// resultMethods are the operations whose package has a method that returns the type of the result, because that depends
// on attributes or operands.
var resultMethods = strings.Fields(`nvvm.clusterlaunchcontrol.query.cancel nvvm.ldmatrix nvvm.match.sync
	nvvm.redux.sync nvvm.shfl.sync nvvm.vote.sync`)

// usual returns the expressions of the types, mostly quoted, of the results of an operation that infers them, but not
// in LLVM 22 or before. It returns false where they are not known, and for the dialects whose operations infer their
// results in all libraries.
func (g *generator) usual(op *operation) (types string, ok bool) {
	if slices.Contains(resultMethods, op.name) {
		return "o.result()", true
	}
	results := op.list("result")
	if !op.is(infers) || !slices.Contains([]string{"acc", "nvvm", "amdgpu"}, g.dialect) ||
		g.dialect == "amdgpu" && len(results) > 0 {
		return "", false
	}
	var list []string
	for _, r := range results {
		i := slices.IndexFunc(g.constraints, func(c constraint) bool { return c.name == r.kind })
		t := ""
		switch {
		case i >= 0:
			t = g.constraints[i].expr
		case op.name == "nvvm.read.ptx.sreg.clock64" || op.name == "nvvm.read.ptx.sreg.globaltimer":
			t = "i64"
		case strings.HasPrefix(op.name, "nvvm.read.ptx.sreg."):
			t = "i32"
		}
		if !oneType.MatchString(t) || r.many == "variadic" {
			return "", false
		}
		if r.many == "optional" {
			t += "?"
		}
		list = append(list, strconv.Quote(t))
	}
	return strings.Join(list, ", "), true
}
