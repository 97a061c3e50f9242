package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// operation describes an operation.
type operation struct {
	name       string // in full, "arith.addf"
	class      string // the name of its C++ class without "Op": "AddF"
	parts      []part // in the order of the definition
	properties []string
}

// part is an operand, attribute, property, region, result or successor.
type part struct {
	sort string // operand, attribute, property (one that is not an attribute), region, result or successor
	name string
	kind string // of an attribute: see attributeKinds; of an operand or result: its constraint
	many string // "", optional, default, variadic, or nested:NAME, which names the attribute of the lengths
	age  string // "", newer or older: only libraries after LLVM 22, or up to it, have the part
}

// The properties of operations.
const (
	operandSegments = "operand-segments"       // it has the lengths of operands as an attribute
	newerSegments   = "newer-operand-segments" // only libraries after LLVM 22 have that attribute
	resultSegments  = "result-segments"
	equalOperands   = "equal-operands" // all variadic operands have the same length
	equalResults    = "equal-results"
	infers          = "infers"    // it infers its result types
	sameType        = "same-type" // operands and results have the same type
	terminator      = "terminator"
)

// The ages of parts.
const (
	newer = "newer"
	older = "older"
)

// enum describes an enumeration.
type enum struct {
	name  string // of the Go type, "CmpIPredicate"
	form  string // int:64 or bits:32 for integers, text for an attribute of a dialect
	text  string // of an attribute, with % for the keyword, "#arith.fastmath<%>"
	join  string // between keywords
	cases []enumCase
}

type enumCase struct {
	symbol, keyword string
	value           uint64
}

// constraint is a condition on a type.
type constraint struct {
	name string
	expr string // see typeCondition in the package mlir
}

// table has the facts of a dialect.
type table struct {
	dialect     string
	constraints []constraint
	enums       []enum
	operations  []operation
}

// format writes a table: a paragraph for each constraint, enumeration and operation.
func (t *table) format() []byte {
	var b strings.Builder
	for _, c := range t.constraints {
		fmt.Fprintf(&b, "constraint %s %s\n", c.name, c.expr)
	}
	for _, e := range t.enums {
		fmt.Fprintf(&b, "\nenum %s %s", e.name, e.form)
		if e.text != "" {
			fmt.Fprintf(&b, " %q %q", e.text, e.join)
		}
		b.WriteByte('\n')
		for _, c := range e.cases {
			fmt.Fprintf(&b, "\tcase %s %q %d\n", c.symbol, c.keyword, c.value)
		}
	}
	for _, op := range t.operations {
		fmt.Fprintf(&b, "\noperation %s %s\n", op.name, op.class)
		for _, p := range op.parts {
			fields := []string{p.sort, p.name}
			if p.kind != "" {
				fields = append(fields, p.kind)
			}
			if p.many != "" {
				fields = append(fields, p.many)
			}
			if p.age != "" {
				fields = append(fields, p.age)
			}
			fmt.Fprintf(&b, "\t%s\n", strings.Join(fields, " "))
		}
		if len(op.properties) > 0 {
			fmt.Fprintf(&b, "\tproperties %s\n", strings.Join(op.properties, " "))
		}
	}
	return []byte(b.String())
}

// parse reads a table.
func parse(name string, data []byte) (*table, error) {
	t := &table{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		if err := t.parseLine(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w: %q", name, n, err, line)
		}
	}
	return t, nil
}

func (t *table) parseLine(line string) error {
	rest, below := strings.CutPrefix(line, "\t")
	f := strings.Fields(rest)
	switch {
	case !below && f[0] == "constraint" && len(f) == 3:
		t.constraints = append(t.constraints, constraint{f[1], f[2]})
	case !below && f[0] == "enum" && len(f) == 3:
		t.enums = append(t.enums, enum{name: f[1], form: f[2]})
	case !below && f[0] == "enum":
		e := enum{}
		if _, err := fmt.Sscanf(rest, "enum %s %s %q %q", &e.name, &e.form, &e.text, &e.join); err != nil {
			return err
		}
		t.enums = append(t.enums, e)
	case !below && f[0] == "operation" && len(f) == 3:
		t.dialect, _, _ = strings.Cut(f[1], ".")
		t.operations = append(t.operations, operation{name: f[1], class: f[2]})
	case below && f[0] == "case" && len(t.enums) > 0:
		c, e := enumCase{}, &t.enums[len(t.enums)-1]
		if _, err := fmt.Sscanf(rest, "case %s %q %d", &c.symbol, &c.keyword, &c.value); err != nil {
			return err
		}
		e.cases = append(e.cases, c)
	case below && len(t.operations) > 0 && f[0] == "properties":
		t.operations[len(t.operations)-1].properties = f[1:]
	case below && len(t.operations) > 0 && slices.Contains(sorts, f[0]) && len(f) >= 2:
		p := part{sort: f[0], name: f[1]}
		if f = f[2:]; p.sort != "region" && p.sort != "successor" {
			if len(f) == 0 {
				return errors.New("the kind is missing")
			}
			p.kind, f = f[0], f[1:]
		}
		if len(f) > 0 && f[0] != newer && f[0] != older {
			p.many, f = f[0], f[1:]
		}
		if len(f) > 0 && (f[0] == newer || f[0] == older) {
			p.age, f = f[0], f[1:]
		}
		if len(f) > 0 {
			return errors.New("there is something after the part")
		}
		op := &t.operations[len(t.operations)-1]
		op.parts = append(op.parts, p)
	default:
		return errors.New("the line is none of a table")
	}
	return nil
}

var sorts = []string{"operand", "attribute", "property", "region", "result", "successor"}

func (op *operation) list(sort string) (list []part) {
	for _, p := range op.parts {
		if p.sort == sort {
			list = append(list, p)
		}
	}
	return list
}

func (op *operation) is(property string) bool { return slices.Contains(op.properties, property) }
