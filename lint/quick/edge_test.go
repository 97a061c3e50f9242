package quick_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

const (
	outfeedOp = `"stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token`
	before    = "func.func @f(%x: tensor<f32>, %t: !stablehlo.token) {\n"
	after     = "\n return }"
)

// forms are forms of the text that valid modules may have, and some invalid ones.
var forms = []struct{ name, text string }{
	{"one line", before + outfeedOp + " " + outfeedOp + after},
	{"result", before + `%0 = ` + outfeedOp + after},
	{"escaped name",
		before + `"stablehlo.out\66eed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token` + after},
	{"escaped from the start",
		before + `"\73\74ablehlo.outfee\64"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token` + after},
	{"escape of another name",
		before + `"func.c\61ll"() {callee = @f2} : () -> ()` + after + "func.func private @f2()"},
	{"comments", before + "// " + outfeedOp + "\n%0 // \"\n = // {-#\n " + outfeedOp + "// loc(\n" + after},
	{"comment within", before + "\"stablehlo.outfeed\" // \"\n ( // )\n %x, %t) : (tensor<f32>, !stablehlo.token) -> // x\n !stablehlo.token // y\n loc(\"a.py\":3:4)" + after},
	{"comment until a carriage return", before + "// x\r" + outfeedOp + after},
	{"carriage returns", before + "\r\n  " + outfeedOp + "\r\n" + after},
	{"bytes of value 0", before + "\x00 " + outfeedOp + "\x00" + after},
	{"byte of value 0 in a comment", before + "// \x00 " + outfeedOp + "\n" + outfeedOp + after},
	{"byte order mark", "\ufeff" + before + outfeedOp + after},
	{"byte order mark before the first line", "\ufefffunc.func @f() { stablehlo.create_token : !stablehlo.token\n stablehlo.create_token : !stablehlo.token return }"},
	{"invalid UTF-8", before + "// \xff\xe9\n" + outfeedOp + after},
	{"invalid UTF-8 in a string",
		`module attributes {a.b = "` + "\xff\xe9" + ` \ff"} {` + before + outfeedOp + after + "}"},
	{"target of a custom call", before + `%0 = stablehlo.custom_call @stablehlo.outfeed(%x) {a = "stablehlo.outfeed", stablehlo.outfeed = "x", "stablehlo.create_token" = 1} : (tensor<f32>) -> tensor<f32>` + after},
	{"quoted symbol", before + `func.call @"stablehlo.outfeed"(%x) : (tensor<f32>) -> ()` + after + `func.func private @"stablehlo.outfeed"(%y: tensor<f32>) func.func private @stablehlo.create_token ()`},
	{"names of values and blocks", "func.func @f(%stablehlo.create_token: i32) {\n cf.br ^stablehlo.create_token\n^stablehlo.create_token:\n cf.br ^mhlo.outfeed(%stablehlo.create_token : i32)\n^mhlo.outfeed(%mhlo.create_token : i32):\n return }"},
	{"unit attribute", `func.func @f() attributes {stablehlo.create_token} { %0 = stablehlo.create_token {stablehlo.create_token, mhlo.create_token = 1} : !stablehlo.token return }`},
	{"type that is an alias", "!t = !stablehlo.token\n!f = (tensor<f32>, !t) -> !t\n" + before +
		`"stablehlo.outfeed"(%x, %t) : !f loc("x":1:2) %0 = stablehlo.create_token : !t loc("y":3:4)` + after},
	{"body of a type", `module attributes {a.b = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, c.d = #stablehlo<precision HIGH>} {` + before + outfeedOp + after + "}"},
	{"properties", before + `"stablehlo.outfeed"(%x, %t) <{outfeed_config = "stablehlo.outfeed"}> {a = [{b = ")"}]} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token` + after},
	{"results in parentheses", before + `%0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) "stablehlo.outfeed"(%0#0, %0#1) : (tensor<f32>, !stablehlo.token) -> (!stablehlo.token) loc("z":5:6)` + after},
	{"mhlo", "func.func @f(%x: tensor<f32>) {\n %0 = mhlo.create_token : !mhlo.token %1 = \"mhlo.outfeed\"(%x, %0) : (tensor<f32>, !mhlo.token) -> !mhlo.token %2:2 = \"mhlo.infeed\"(%1) : (!mhlo.token) -> (tensor<f32>, !mhlo.token)" + after},
	{"generic create_token", `func.func @f() { %0 = "stablehlo.create_token"() : () -> !stablehlo.token "stablehlo.create_token"() {} : () -> (!stablehlo.token) stablehlo.create_token : !stablehlo.token stablehlo.create_token{}:!stablehlo.token return }`},
	{"number before a name",
		`func.func @f() { %c = arith.constant 4stablehlo.create_token : !stablehlo.token return }`},
	{"custom outfeed",
		before + "%0 = stablehlo.outfeed %x, %t : (tensor<f32>, !stablehlo.token) -> !stablehlo.token" + after},
	{"custom infeed",
		before + "%0:2 = stablehlo.infeed %t : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)" + after},
	{"mhlo, custom infeed", "func.func @f(%t: !mhlo.token) { %0:2 = mhlo.infeed %t : (!mhlo.token) -> (tensor<f32>, !mhlo.token) return }"},
	{"resources", before + outfeedOp + after + "\n{-# dialect_resources: { builtin: { stablehlo.create_token: \"0x0400000001000000\" // #-}\n } } #-}"},
	{"resources first",
		"{-# external_resources: { x: { stablehlo.create_token: \"#-}\" } } #-}\n" + before + outfeedOp + after},
	{"location", before + outfeedOp + ` loc("m.py":7:9)` + after},
	{"location of the text", before + outfeedOp + ` loc("-":1:1)` + after},
	{"location of no file", before + outfeedOp + ` loc("":2:3)` + after},
	{"location at line 0", before + outfeedOp + ` loc("a":0:0)` + after},
	{"location at column 0", before + outfeedOp + ` loc("-":1:0)` + after},
	{"unknown location", before + outfeedOp + ` loc(unknown)` + after},
	{"named location", before + outfeedOp + ` loc("stablehlo.outfeed"("m.py":7:9))` + after},
	{"name alone", before + outfeedOp + ` loc("a:1:2")` + after},
	{"call site", before + outfeedOp + ` loc(callsite("a"("b":1:2) at fused["c":3:4, "d"]))` + after},
	{"fused", before + outfeedOp + ` loc(fused<"m">[unknown, "x", "d":1:2, "c":3:4])` + after},
	{"fused with a typed string", before + outfeedOp + ` loc(fused<"a": i32>["d":1:2])` + after},
	{"escape in a file name", before + outfeedOp + ` loc("a\22\0a\\b":1:2)` + after},
	{"hexadecimal line", before + outfeedOp + ` loc("a":0x1f:2)` + after},
	{"spaces in a location", before + outfeedOp + " loc // x\n( \"a\" : // y\n 3 : 4 )" + after},
	{"location by alias", "#loc = loc(\"a\":1:2)\n#loc1 = loc(\"n\"(#loc))\n" + before + outfeedOp + " loc(#loc1)" +
		outfeedOp + " loc(#loc2)" + after + "\n#loc2 = loc(callsite(#loc1 at #loc))\n// #loc1 = loc(\"z\":7:8)\n"},
	{"location by an alias of an alias", "#l1 = loc(unknown)\n#l3 = loc(\"q\":5:6)\n#l2 = loc(fused[#l1, #l3])\n" +
		before + outfeedOp + " loc(#l2)" + after},
	{"alias of an alias without loc", "#l1 = loc(\"q\":5:6)\n#l2 = #l1\n" + before + outfeedOp + " loc(#l2)" + after},
	{"two positions in the wrong order", before + outfeedOp + ` loc("-":9:1)` + "\n" + outfeedOp + ` loc("-":8:1)` +
		"\n%0 = stablehlo.create_token : !stablehlo.token loc(\"-\":8:1)" + after},
	{"argument of an operation",
		"func.func @f(%x: i32) { llvm.call_intrinsic \"stablehlo.outfeed\"(%x) : (i32) -> () return }"},
	{"patterns", `pdl.pattern : benefit(1) { %0 = pdl.operand %1 = pdl.operation "stablehlo.outfeed"(%0 : !pdl.value) rewrite %1 { %3 = operation "stablehlo.outfeed"(%0 : !pdl.value) %4 = pdl.operation "stablehlo.create_token" erase %1 } }`},
	{"native rewrite", `pdl.pattern : benefit(1) { %0 = operand %1 = operation "a.b"(%0 : !pdl.value) rewrite %1 { %2 = apply_native_rewrite "stablehlo.outfeed"(%0 : !pdl.value) : !pdl.value replace %1 with (%2 : !pdl.value) } }`},
	{"torch operator", `func.func @f(%x: !torch.int) { %0 = torch.operator "stablehlo.outfeed"(%x) : (!torch.int) -> !torch.int return }`},
	{"mhlo reduce", `func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) { %0 = mhlo.create_token : !mhlo.token %1 = mhlo.reduce(%x init: %i) applies mhlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> return }`},
	{"opaque call", `func.func @f(%x: i32) { emitc.call_opaque "stablehlo.outfeed"(%x) : (i32) -> () return }`},
	{"no prefix", `func.func @f() { %0 = create_token : !stablehlo.token return }`},
	{"no prefix in a module", `module { create_token : !stablehlo.token }`},
	{"block first", "func.func private @g() func.func @f() {\n %0:2 = \"func.call\"() {callee = @h} : () -> (tensor<f32>, !stablehlo.token) cf.br ^bb0(%0#0, %0#1 : tensor<f32>, !stablehlo.token) ^bb0(%x: tensor<f32>, %t: !stablehlo.token):" + outfeedOp + " cf.br ^bb1 ^bb1:" + outfeedOp + after + " func.func private @h() -> (tensor<f32>, !stablehlo.token)"},
	{"region", `func.func @f(%p: tensor<i1>) { "stablehlo.if"(%p) ({stablehlo.create_token : !stablehlo.token "stablehlo.return"() : () -> ()}, {"stablehlo.create_token"() : () -> !stablehlo.token stablehlo.return}) : (tensor<i1>) -> () return }`},
	{"module alone", "\n  stablehlo.create_token : !stablehlo.token"},
	{"two modules", "module {} module { %0 = stablehlo.create_token : !stablehlo.token }"},
	{"string at the end", `func.func @f(%b: i1) { cf.assert %b, "stablehlo.outfeed" "stablehlo.create_token"() : () -> !stablehlo.token return }`},
	{"dense", `func.func @f() { %0 = stablehlo.constant dense<"0x0000803F"> : tensor<1xf32> %1 = stablehlo.create_token : !stablehlo.token %2 = stablehlo.constant dense<[1.0e+1, 0x7FC00000]> : tensor<2xf32> return }`},
	{"arrow in a body", `module attributes {a.b = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>} { stablehlo.create_token : !stablehlo.token }`},
}

// TestForms compares the findings in each form with those of a full parse.
func TestForms(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		accepted := 0
		for _, test := range forms {
			t.Run(test.name, func(t *testing.T) {
				library := e.Library
				if strings.HasPrefix(test.name, "mhlo") {
					library = mlirtest.LibraryFor(t, []byte(test.text))
				}
				want, ok := parsed(library, []byte(test.text))
				if !ok {
					return
				}
				accepted++
				if diff := cmp.Diff(want, found([]byte(test.text))); diff != "" {
					t.Errorf("(-parsed +found):\n%s", diff)
				}
			})
		}
		if e.Library == mlirtest.Library(t) && accepted < 50 {
			t.Errorf("the library accepts only %d of %d forms", accepted, len(forms))
		}
	})
}
