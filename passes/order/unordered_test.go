package order_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes/order"
)

var (
	tapShort = regexp.MustCompile(`see\.(\w*|\*)\((%[\w#]+)\)`)
	shorts   = strings.NewReplacer("T1", "tensor<1xi8>", "!t", "!stablehlo.token", "FIRST",
		"stablehlo.constant dense<0> : tensor<1xi8>",
		"P1", "tensor<i1>", "IF", `"stablehlo.if"`, "RETURN", "stablehlo.return", "BARE",
		"stablehlo.custom_call @bare() {has_side_effect = true} : () -> ()")
)

// written returns the text of a module in which see.effect(token) is a tap.
func written(text string) string {
	return shorts.Replace(tapShort.ReplaceAllString(text, `stablehlo.custom_call @calliope_io_callback($2) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "see", n_tokens = 1 : i64, effect = "$1"}} : (T1) -> T1`))
}

// pairsOf returns the lines of each pair, joined by " after " if they are in two iterations.
func pairsOf(r order.Result) (list []string) {
	for _, p := range r.Pairs {
		line := func(c order.Call) int { return c.Op.Location().Position().Line }
		between := "-"
		if p.Iterations {
			between = " again "
		}
		list = append(list, fmt.Sprint(line(p.First), between, line(p.Second)))
	}
	return list
}

func TestUnordered(t *testing.T) {
	for _, test := range []struct {
		name, text string
		o          order.Options
		want       []string
		total      int // if there are more than pairs
	}{
		{name: "nothing", text: `func.func @main(%t: T1) { return }`},
		{name: "chain", text: `func.func @main(%t: T1) {
%1 = see.a(%t)
%2 = see.b(%t)
%3 = see.a(%1)
return }`},
		{name: "no chain", text: `func.func @main(%t: T1) {
%1 = see.a(%t)
%2 = see.a(%t)
%3 = see.a(%2)
return }`, want: []string{"2-3", "2-4"}},
		{name: "taps", text: `func.func @main(%t: T1) {
%1 = see.(%t)
%2 = see.(%t)
return }`, want: []string{"2-3"}},
		{name: "all effects", text: `func.func @main(%t: T1) {
%1 = see.a(%t)
%2 = see.*(%1)
%3 = see.b(%t)
%4 = see.a(%2)
return }`, want: []string{"3-4"}},
		{name: "an array without elements", text: `func.func @main(%t: T1) {
%1 = see.a(%t)
%e = stablehlo.slice %1 [0:0] : (T1) -> tensor<0xi8>
%f = stablehlo.concatenate %e, %t, dim = 0 : (tensor<0xi8>, T1) -> T1
%2 = see.a(%f)
return }`, want: []string{"2-5"}},
		{name: "branches exclude each other", text: `func.func @main(%t: T1, %p: P1) {
%1 = IF(%p) ({
  %2 = see.a(%t)
  RETURN %2 : T1
}, {
  %2 = see.a(%t)
  RETURN %2 : T1
}) : (P1) -> T1
%3 = see.a(%1)
return }`},
		{name: "a branch drops the token", text: `func.func @main(%t: T1, %p: P1) {
%0 = see.a(%t)
%1 = IF(%p) ({
  %2 = see.a(%0)
  RETURN %2 : T1
}, {
  RETURN %t : T1
}) : (P1) -> T1
%3 = see.a(%1)
return }`, want: []string{"2-9"}},
		{name: "the place of an if orders nothing", text: `func.func @main(%t: T1, %p: P1) {
%0 = see.a(%t)
IF(%p) ({
  %2 = see.a(%0)
  RETURN
}, {
  RETURN
}) : (P1) -> ()
%3 = see.a(%0)
return }`, want: []string{"4-9"}},
		{name: "a predicate orders", text: `func.func @main(%t: T1) {
%0 = see.a(%t)
%s = stablehlo.reshape %0 : (T1) -> tensor<i8>
%p = stablehlo.convert %s : (tensor<i8>) -> P1
%1 = IF(%p) ({
  %2 = see.a(%t)
  RETURN %2 : T1
}, {
  RETURN %t : T1
}) : (P1) -> T1
%3 = see.a(%1)
return }`},
		{name: "a loop", text: `func.func @main(%t: T1, %p: P1) {
%1:2 = stablehlo.while(%a = %t, %q = %p) : T1, P1
cond { RETURN %q : P1 } do {
  %2 = see.a(%a)
  RETURN %2, %q : T1, P1
}
%3 = see.a(%1#0)
return }`},
		{name: "a loop without a carried token", text: `func.func @main(%t: T1, %p: P1) {
%0 = see.a(%t)
%1 = stablehlo.while(%q = %p) : P1
cond { RETURN %q : P1 } do {
  %2 = see.a(%0)
  %3 = see.a(%2)
  RETURN %q : P1
}
return }`, want: []string{"6 again 5", "5 again 5", "6 again 6", "5 again 6"}},
		{name: "a condition", text: `func.func @main(%t: T1, %p: P1) {
%1:2 = stablehlo.while(%a = %t, %q = %p) : T1, P1
cond {
  %2 = see.a(%a)
  RETURN %q : P1
} do {
  %3 = see.a(%a)
  RETURN %3, %q : T1, P1
}
return }`, want: []string{"4 again 4", "4-7", "4 again 7"}},
		{name: "functions", text: `func.func @main(%t: T1) {
%1 = func.call @f(%t) : (T1) -> T1
%2 = func.call @f(%1) : (T1) -> T1
%3 = func.call @g(%2) : (T1) -> T1
%4 = see.a(%3)
return }
func.func private @f(%t: T1) -> T1 {
%1 = see.a(%t)
return %1 : T1 }
func.func private @g(%t: T1) -> T1 {
%1 = func.call @f(%t) : (T1) -> T1
return %t : T1 }`, want: []string{"8-5"}},
		{name: "a call of a function twice", text: `func.func @main(%t: T1) {
func.call @f(%t) : (T1) -> ()
func.call @f(%t) : (T1) -> ()
return }
func.func private @f(%t: T1) {
%1 = see.a(%t)
return }`, want: []string{"6-6"}},
		{name: "another public function", text: `func.func @main(%t: T1) {
return }
func.func @f(%t: T1) {
%1 = see.a(%t)
%2 = see.a(%t)
return }
func.func private @never(%t: T1) {
%1 = see.a(%t)
%2 = see.a(%t)
return }`, want: []string{"4-5"}},
		{name: "public functions that are called", text: `func.func @g(%t: T1) {
%1 = see.a(%t)
%2 = see.a(%t)
return }
func.func @main(%t: T1) {
func.call @g(%t) : (T1) -> ()
return }`, want: []string{"2-3"}},
		{name: "recursion", text: `func.func @main(%t: T1) {
%1 = func.call @f(%t) : (T1) -> T1
%2 = see.a(%1)
return }
func.func private @f(%t: T1) -> T1 {
%1 = see.a(%t)
%2 = func.call @f(%1) : (T1) -> T1
return %2 : T1 }`},
		{name: "several blocks", text: `func.func @main(%t: T1) {
%1 = see.a(%t)
cf.br ^next
^next:
%2 = see.a(%1)
return }`, want: []string{"5 again 2", "2 again 2", "5 again 5", "2 again 5"}},
		{name: "manual computation", text: `sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: T1) {
%0 = see.a(%t)
%1:2 = sdy.manual_computation(%0, %t) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] manual_axes={"x"} (%a: T1, %b: T1) {
  %2 = see.a(%a)
  sdy.return %2, %b : T1, T1
} : (T1, T1) -> (T1, T1)
%3 = see.a(%1#0)
%4 = see.a(%1#1)
return }`, want: []string{"8-9", "5-9", "3-9"}},
		{name: "optimization barrier", text: `func.func @main(%t: T1) {
%0 = see.a(%t)
%1:2 = stablehlo.optimization_barrier %t, %0 : T1, T1
%2 = see.a(%1#1)
%3 = see.a(%1#0)
return }`, want: []string{"4-5", "2-5"}},
		{name: "outfeeds and infeeds", text: `func.func @main(%x: T1, %t: !t) {
%1 = "stablehlo.outfeed"(%x, %t) : (T1, !t) -> !t
%2 = "stablehlo.outfeed"(%x, %1) : (T1, !t) -> !t
%c = stablehlo.create_token : !t
%3 = "stablehlo.outfeed"(%x, %c) : (T1, !t) -> !t
%4:2 = "stablehlo.infeed"(%c) : (!t) -> (T1, !t)
return }`, want: []string{"3-5", "2-5"}},
		{name: "tokens of JAX", text: `func.func @main(%t: !t, %u: !t) -> (!t, !t) {
%1 = stablehlo.custom_call @host(%t) {has_side_effect = true} : (!t) -> !t
%2 = stablehlo.custom_call @host(%u) {has_side_effect = true} : (!t) -> !t
stablehlo.custom_call @host() {has_side_effect = true} : () -> ()
%3 = stablehlo.custom_call @other(%t) {has_side_effect = true} : (!t) -> !t
%4 = stablehlo.custom_call @host(%t) {has_side_effect = true} : (!t) -> !t
return %1, %2 : !t, !t }`, want: []string{"2-6"}},
		{name: "tuples", text: `func.func @main(%t: !t) {
%1 = stablehlo.custom_call @host(%t) {has_side_effect = true} : (!t) -> tuple<!t>
%2 = stablehlo.get_tuple_element %1[0] : (tuple<!t>) -> !t
%3 = stablehlo.tuple %2, %t : tuple<!t, !t>
%4 = stablehlo.get_tuple_element %3[0] : (tuple<!t, !t>) -> !t
%5 = stablehlo.custom_call @host(%4) {has_side_effect = true} : (!t) -> !t
%6 = stablehlo.get_tuple_element %3[1] : (tuple<!t, !t>) -> !t
%7 = stablehlo.custom_call @host(%6) {has_side_effect = true} : (!t) -> !t
return }`, want: []string{"6-8", "2-8"}},
		{name: "without tokens", text: `func.func @main(%x: T1) {
%1 = stablehlo.custom_call @host(%x) {has_side_effect = true} : (T1) -> T1
%2 = stablehlo.custom_call @host(%x) {has_side_effect = true} : (T1) -> T1
return }`},
		{name: "by values", o: order.Options{ByValues: true}, text: `func.func @main(%x: T1) {
%1 = stablehlo.custom_call @host(%x) {has_side_effect = true} : (T1) -> T1
%2 = stablehlo.custom_call @other(%1) {has_side_effect = true} : (T1) -> T1
%3 = stablehlo.custom_call @host(%x) {has_side_effect = true} : (T1) -> T1
%4 = stablehlo.custom_call @pure(%x) : (T1) -> T1
%5 = stablehlo.custom_call @Sharding(%x) {has_side_effect = true} : (T1) -> T1
return }`, want: []string{"3-4", "2-4"}},
		{name: "limit", o: order.Options{Limit: 2}, text: `func.func @main(%t: T1) {
%1 = see.a(%t)
%2 = see.a(%t)
%3 = see.a(%t)
return }`, want: []string{"2-3", "3-4"}, total: 3},
		{name: "a body of a reduction", o: order.Options{ByValues: true},
			text: `func.func @main(%x: tensor<4xi8>, %i: tensor<i8>) {
%1 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8> reducer(%a: tensor<i8>, %b: tensor<i8>) {
  %2 = stablehlo.custom_call @host(%a) {has_side_effect = true} : (tensor<i8>) -> tensor<i8>
  RETURN %2 : tensor<i8>
}
return }`, want: []string{"3 again 3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := written(test.text)
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, []byte(text))), text)
			before := m.String()
			r, err := order.Unordered(m, test.o)
			check.NoError(t, err)
			if diff := cmp.Diff(test.want, pairsOf(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if total := max(test.total, len(test.want)); r.Total != total {
				t.Errorf("the total is %d, want %d", r.Total, total)
			}
			if (r.Err() == nil) != (len(test.want) == 0) {
				t.Errorf("the error is %v", r.Err())
			}
			check.Diff(t, "the module", before, m.String())
		})
	}
}

func TestUnorderedText(t *testing.T) {
	r, err := order.Unordered(parse(t, written(`func.func @main(%t: T1, %p: P1) {
%1 = stablehlo.while(%q = %p) : P1
cond { RETURN %q : P1 } do {
  %2 = see.a(%t)
  %3 = see.*(%t)
  RETURN %q : P1
}
return }`)), order.Options{})
	check.NoError(t, err)
	check.Diff(t, "error", `order: calls with side effects are not ordered: `+
		`callback "see" at test.mlir:4:8 does not depend on itself in the iteration before (effect "a"); `+
		`callback "see" at test.mlir:4:8 does not depend on callback "see" at test.mlir:5:8 in the iteration before (effects "*" and "a"); `+
		`callback "see" at test.mlir:5:8 does not depend on callback "see" at test.mlir:4:8, which is before it (effects "a" and "*"); and 2 more`, r.Err().Error())
}

// A long chain is one span at each value. If it is cut in the middle, all pairs of calls before
// and after the cut are counted, and the nearest is the first.
func TestUnorderedLong(t *testing.T) {
	const n = 20000
	var text strings.Builder
	text.WriteString("func.func @main(%v0: T1) {\n")
	for i := range n {
		fmt.Fprintf(&text, "%%v%d = see.a(%%v%d)\n", i+1, i)
	}
	text.WriteString("return }")
	m := parse(t, written(text.String()))
	r, err := order.Unordered(m, order.Options{})
	check.NoError(t, err)
	check.Diff(t, "total", 0, r.Total)
	var calls []mlir.Operation
	for op := range m.Operation().All() {
		if op.Name() == "stablehlo.custom_call" {
			calls = append(calls, op)
		}
	}
	calls[n/2].SetOperand(0, calls[0].Operand(0))
	r, err = order.Unordered(m, order.Options{})
	check.NoError(t, err)
	check.Diff(t, "total", n/2*n/2, r.Total)
	check.Diff(t, "first", fmt.Sprint(n/2+1, "-", n/2+2), pairsOf(r)[0])
	// No two depend on each other.
	for _, call := range calls {
		call.SetOperand(0, calls[0].Operand(0))
	}
	r, err = order.Unordered(m, order.Options{})
	check.NoError(t, err)
	check.Diff(t, "total", n*(n-1)/2, r.Total)
	check.Diff(t, "pairs", 100, len(r.Pairs))
}

// A program that is too large is an error, not a long wait.
func TestUnorderedTooLarge(t *testing.T) {
	calls := func(n int) string {
		var text strings.Builder
		fmt.Fprintf(&text, "func.func @main(%%t: T1) {\n%%1 = func.call @f%d(%%t) : (T1) -> T1\nreturn }\n", n)
		for i := range n + 1 {
			next := fmt.Sprintf("func.call @f%d(%%t) : (T1) -> T1", i-1)
			if i == 0 {
				next = "see.a(%t)"
			}
			fmt.Fprintf(&text, "func.func private @f%d(%%t: T1) -> T1 {\n%%1 = %s\n%%2 = %s\nreturn %%2 : T1 }\n", i,
				next, strings.ReplaceAll(next, "%t", "%1"))
		}
		return text.String()
	}
	for name, test := range map[string]struct {
		text string
		fits bool
	}{
		"calls":      {calls(10), true},
		"more calls": {calls(28), false},
		"most calls": {calls(100), false},
		"loops": {strings.Replace("func.func @main(%t: T1, %p: P1) {\nLOOP\nreturn }", "LOOP", func() string {
			body := "%1 = see.a(%t)"
			for i := range 40 {
				body = fmt.Sprintf("%%l%d:2 = stablehlo.while(%%a%d = %%t, %%b%d = %%t) : T1, T1 cond { RETURN %%p : P1 } do {\n%s\nRETURN %%b%d, %%t : T1, T1\n}", i, i, i, body, i)
			}
			return body
		}(), 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := order.Unordered(parse(t, written(test.text)), order.Options{})
			if !test.fits && err != order.ErrTooLarge || test.fits && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
