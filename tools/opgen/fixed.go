package main

import (
	"regexp"
	"slices"
)

// fixedType matches the conditions that one type satisfies: the types have no parameters.
var fixedType = regexp.MustCompile(`^(i\d+|f\d+|index|!pdl\.(attribute|operation|type|value)|!smt\.(bool|int)|` +
	`!mpi\.\w+|!gpu\.sparse\.\w+|!omp\.(cli|map_bounds_ty)|!ml_program\.token|!xegpu\.nbarrier|!irdl\.attribute)$`)

// rangesOf are the elements of results whose condition is only that they are a range.
var rangesOf = map[string]string{
	"pdl.operands": "value", "pdl.types": "type", "pdl_interp.create_types": "type", "pdl_interp.get_users": "operation",
}

// fixed returns the type of a result of an operation that does not infer it, if it is always the same.
func (g *generator) fixed(op *operation, p part) (t string, ok bool) {
	if op.is(infers) || p.sort != "result" || p.many != "" || p.age != "" {
		return "", false
	}
	if of, ok := rangesOf[op.name]; ok {
		return "!pdl.range<" + of + ">", true
	}
	i := slices.IndexFunc(g.constraints, func(c constraint) bool { return c.name == p.kind })
	if i < 0 || !fixedType.MatchString(g.constraints[i].expr) {
		return "", false
	}
	return g.constraints[i].expr, true
}
