package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// FuzzPDL applies patterns with steps that the input chooses. The module must be printable
// afterwards.
func FuzzPDL(f *testing.F) {
	for _, seed := range []string{"", "\x00\x01\x02\x03\x04\x05", "abcdefghijklmnop",
		"\x09\x01\x02\x0a\x03\x01\x0b\x07\x07\x07\x01\x02"} {
		f.Add([]byte(seed))
	}
	engines := mlirtest.Engines(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := engines[len(data)%len(engines)].Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer c.Close()
		if c.LoadDialect("pdl") != nil {
			return // the library has no PDL
		}
		text := anyPattern(data)
		description, err := c.Parse("", []byte(text))
		if err != nil {
			return // refused by the verifier of PDL
		}
		s, err := c.NewPDLPatterns(description, pdlFunctions)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "mlir: ") {
				t.Errorf("%v of\n%s", err, text)
			}
			return
		}
		defer s.Close()
		for _, apply := range []func(*mlir.Module) error{
			s.Walk,
			func(m *mlir.Module) error { return s.Apply(m, mlir.GreedyOptions{MaxIterations: 3, MaxRewrites: 20}) },
		} {
			m, err := c.Parse("", []byte(rewritten))
			check.NoError(t, err)
			before := m.Verify()
			if err := apply(m); err == nil && before == nil {
				if err := m.Verify(); err != nil {
					t.Errorf("%v after\n%s", err, text)
				}
			}
			_ = m.String()
			m.Close()
		}
	})
}

// rewritten is the module that the patterns are applied to.
const rewritten = `func.func @f(%x: i32, %y: i32, %c: i1) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %zero : i32
  cf.cond_br %c, ^a, ^b(%1 : i32)
^a:
  %2:2 = "t.two"(%x) ({
    %3 = arith.muli %0, %y : i32
    "t.end"(%3) : (i32) -> ()
  }) : (i32) -> (i32, i32)
  cf.br ^b(%2#1 : i32)
^b(%4: i32):
  %5 = arith.muli %4, %0 : i32
  return %5, %4 : i32, i32
}`

// anyPattern returns a pattern that matches one multiplication, two, or any operation. The
// bytes choose the steps of its rewrite.
func anyPattern(data []byte) string {
	input := choices(data)
	next := input.next
	var b strings.Builder
	ops, values, ranges := []string{"%op"}, []string{"%r"}, []string{"%rs"}
	types, typeRanges := []string{"%t"}, []string{"%ts"}
	b.WriteString("module { pdl.pattern @p : benefit(1) {\n %t = pdl.type : i32\n")
	switch next() % 3 {
	case 0:
		b.WriteString(" %a = pdl.operand\n %b = pdl.operand\n %op = pdl.operation \"arith.muli\"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)\n")
		values = append(values, "%a", "%b")
	case 1:
		b.WriteString(` %a = pdl.operand
 %b = pdl.operand
 %inner = pdl.operation "arith.muli"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
 %ir = pdl.result 0 of %inner
 %d = pdl.operand
 %op = pdl.operation "arith.muli"(%ir, %d : !pdl.value, !pdl.value) -> (%t : !pdl.type)
`)
		values, ops = append(values, "%a", "%b", "%ir", "%d"), append(ops, "%inner")
	case 2:
		b.WriteString(" %os = pdl.operands\n %tr = pdl.types\n %op = pdl.operation(%os : !pdl.range<value>) -> (%tr : !pdl.range<type>)\n")
		ranges, typeRanges = append(ranges, "%os"), append(typeRanges, "%tr")
	}
	root := []string{"%op", "", ops[len(ops)-1]}[next()%3]
	fmt.Fprintf(&b, " pdl.rewrite %s {\n  %%r = pdl.result 0 of %%op\n  %%rs = pdl.results of %%op\n  %%ts = pdl.range %%t : !pdl.type\n  %%u = pdl.attribute = 1 : i32\n", root)
	of := func(list []string) string { return list[next()%len(list)] }
	names := []string{"arith.addi", "arith.muli", "arith.constant", "t.new", "func.return", "cf.br", "arith.cmpi",
		"arith.nothing", "scf.if"}
	for i := 0; len(input) > 0 && i < 20; i++ {
		switch next() % 12 {
		case 0, 1:
			name := of(names)
			operands, attribute := "", ""
			switch next() % 4 {
			case 0:
				operands = fmt.Sprintf("(%s, %s : !pdl.value, !pdl.value)", of(values), of(values))
			case 1:
				operands = fmt.Sprintf("(%s : !pdl.value)", of(values))
			case 2:
				operands = fmt.Sprintf("(%s, %s : !pdl.range<value>, !pdl.value)", of(ranges), of(values))
			}
			if next()%4 == 0 {
				attribute = ` {"value" = %u}`
			}
			result := []string{"", fmt.Sprintf(" -> (%s : !pdl.type)", of(types)),
				fmt.Sprintf(" -> (%s : !pdl.range<type>)", of(typeRanges))}[next()%3]
			fmt.Fprintf(&b, "  %%o%d = pdl.operation %q%s%s%s\n", i, name, operands, attribute, result)
			ops = append(ops, fmt.Sprintf("%%o%d", i))
		case 2:
			fmt.Fprintf(&b, "  pdl.erase %s\n", of(ops))
		case 3:
			fmt.Fprintf(&b, "  pdl.replace %s with %s\n", of(ops), of(ops))
		case 4:
			fmt.Fprintf(&b, "  pdl.replace %s with (%s : !pdl.value) {}\n", of(ops), of(values))
		case 5:
			fmt.Fprintf(&b, "  pdl.replace %s with (%s : !pdl.range<value>) {}\n", of(ops), of(ranges))
		case 6:
			fmt.Fprintf(&b, "  %%v%d = pdl.result %d of %s\n", i, next()%3, of(ops))
			values = append(values, fmt.Sprintf("%%v%d", i))
		case 7:
			fmt.Fprintf(&b, "  %%v%d = pdl.results of %s\n", i, of(ops))
			ranges = append(ranges, fmt.Sprintf("%%v%d", i))
		case 8:
			fmt.Fprintf(&b, "  %%v%d = pdl.range %s, %s : !pdl.value, !pdl.range<value>\n", i, of(values), of(ranges))
			ranges = append(ranges, fmt.Sprintf("%%v%d", i))
		case 9:
			fmt.Fprintf(&b, "  pdl.apply_native_rewrite %q(%s : !pdl.operation)\n",
				of([]string{"erase", "erase next", "sum"}), of(ops))
		case 10:
			fmt.Fprintf(&b, "  %%v%d = pdl.apply_native_rewrite %q(%s : !pdl.operation) : !pdl.value\n", i,
				of([]string{"result", "operand"}), of(ops))
			values = append(values, fmt.Sprintf("%%v%d", i))
		case 11:
			fmt.Fprintf(&b, "  %%o%d = pdl.apply_native_rewrite \"same\"(%s : !pdl.operation) : !pdl.operation\n", i,
				of(ops))
			ops = append(ops, fmt.Sprintf("%%o%d", i))
		}
	}
	b.WriteString(" }\n} }")
	return b.String()
}
