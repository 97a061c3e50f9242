package quick_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// FuzzCheck changes modules and compares the findings with those of a full parse, if the
// library accepts the result. The seed 0 does not change the module, so that the fuzzer's own
// changes are tried, too.
func FuzzCheck(f *testing.F) {
	for i, form := range forms {
		f.Add([]byte(form.text), uint64(0))
		f.Add([]byte(form.text), uint64(i+1))
	}
	modules(f, func(path string, data []byte) {
		if len(data) < 6000 && !crashes(path) {
			for seed := range uint64(3) {
				f.Add(data, seed)
			}
		}
	})
	library := mlirtest.Library(f)
	jaxlib := mlirtest.Jaxlib(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		if seed != 0 {
			data = mutate(data, seed)
		}
		if dangerous(data) {
			_, _ = quick.Check("f", data)
			return
		}
		of := library
		if bytes.Contains(data, []byte("mhlo.")) {
			of = jaxlib
		}
		want, ok := parsed(of, data)
		got := found(data)
		if !ok {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" && !refused(got) {
			t.Errorf("seed %d (-parsed +found):\n%s\n%s", seed, diff, data)
		}
	})
}

// refused reports whether the findings end with an error, which is a safe answer, and one that a
// library may not give: that the input needs the full engine, or that a string does not end.
// After the type of a dialect, MLIR reports such a string and then ignores it.
func refused(got []string) bool {
	if len(got) == 0 {
		return false
	}
	last := got[len(got)-1]
	return strings.Contains(last, "needs the full engine") ||
		strings.Contains(last, "the string does not end on its line")
}

// dangerous reports whether a library may crash on an input. See package mlir's FuzzParse, and
// TestDamagedBytecode.
func dangerous(data []byte) bool {
	text := string(data)
	return len(data) > 1<<16 || mlir.IsBytecode(data) || strings.Contains(text, "sdy") ||
		regexp.MustCompile(`all_to_all|collective|replica`).MatchString(text) ||
		strings.Count(text, "(")+strings.Count(text, "[")+strings.Count(text, "{")+strings.Count(text, "<") > 1000
}

// pieces are texts to insert between tokens.
var pieces = []string{
	" ", "\n", "\r", "\r\n", "\t", "\x00", "// \"\n", "//\"\r", "// \"stablehlo.outfeed\"(\n", "// \x00 #a<\n", "/",
	"//",
	`"`, `\`, `"stablehlo.outfeed"`, `"stablehlo.outfeed"()`, "stablehlo.create_token", "{stablehlo.create_token}",
	"stablehlo.create_token : !stablehlo.token ", "\"stablehlo.create_token\"() : () -> !stablehlo.token\n",
	"%zz = stablehlo.create_token {a = \"b\"} : !stablehlo.token loc(\"f.py\":1:2)\n",
	" loc(unknown) ", " loc(\"a\":3:4)", " loc(#z1)", " loc(callsite(\"a\" at #z2))", " loc(\"-\":1:1)",
	" loc(fused<\"a\">[\"b\":1:2])",
	"\n#z1 = loc(\"x\"(#z2))\n", "\n#z2 = loc(\"y\":5:6)\n", "\n!z3 = !stablehlo.token\n", "{-#", "#-}",
	"{-# dialect_resources: { builtin: { stablehlo.create_token: \"0x0400000001\" } } #-}",
	"<", ">", "->", "(", ")", "{", "}", "[", "]", ":", ",", "=", "#", "!", "@", "%", "^", "-", ".", "::", "0x", "4",
	"1.0e+1",
	"attributes {a.b = \"stablehlo.outfeed\"} ", " {a.b = #stablehlo<precision HIGH>} ", "\ufeff", "\xff", "^bb7:",
	"@\"stablehlo.outfeed\"",
	"func.func private @zz() attributes {x.y = \"\\\"stablehlo.outfeed\\\"(\"}\n",
	"func.func @zy() { %0 = stablehlo.create_token : !stablehlo.token loc(\"q\":1:1) return }\n",
}

// harmless are texts that may be between most lines.
var harmless = []string{
	"", " ", "\n", "\r", "\r\n", "\t", "\x00", "// \"\n", "//\"\r", "// \"stablehlo.outfeed\"(\n", "// \x00 #a<\n",
	"\n// {-#\n",
	"stablehlo.create_token : !stablehlo.token ", "\"stablehlo.create_token\"() : () -> !stablehlo.token\n",
	"stablehlo.create_token {a = \"b\"} : !stablehlo.token loc(\"f.py\":1:2)\n",
	"\"stablehlo.create\\5ftoken\"() {stablehlo.outfeed} : () -> !stablehlo.token loc(callsite(\"a\" at \"-\":7:8))\n",
	" loc(unknown) ", " loc(\"a\":3:4)", " loc(fused<\"a\">[\"b\":1:2])",
}

var pieceOf = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[@%^#!]?[A-Za-z_0-9$.-]+|->|\s+|//[^\n]*|.`)

// mutate changes a module in a few places.
func mutate(data []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(len(data))))
	if mlir.IsBytecode(data) {
		data = bytes.Clone(data)
		for range 1 + r.IntN(2) {
			i := 4 + r.IntN(max(len(data)-4, 1))
			if i >= len(data) {
				break
			}
			switch r.IntN(4) {
			case 0:
				data[i] = byte(r.Uint32())
			case 1:
				data[i] ^= 1 << r.IntN(8)
			case 2:
				data[i]++
			default:
				data[i]--
			}
		}
		return data
	}
	list := pieceOf.FindAllString(string(data), -1)
	if len(list) == 0 {
		return data
	}
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(list)), r.IntN(len(list))
		what := r.IntN(9)
		if seed%2 == 1 { // changes that keep most modules valid
			what = 4 + r.IntN(3)
		}
		insert := func() string {
			if seed%2 == 1 {
				return harmless[r.IntN(len(harmless))]
			}
			return pieces[r.IntN(len(pieces))]
		}
		switch what {
		case 0: // swap
			list[i], list[j] = list[j], list[i]
		case 1: // remove
			list[i] = ""
		case 2: // repeat
			list[i] += list[i]
		case 3: // copy
			list[i] += list[j]
		case 4: // escape a byte of a string
			for k := range len(list) {
				s := list[(i+k)%len(list)]
				if len(s) > 2 && s[0] == '"' && !strings.Contains(s, `\`) {
					at := 1 + r.IntN(len(s)-2)
					list[(i+k)%len(list)] = s[:at] + fmt.Sprintf([]string{`\%02x`, `\%02X`}[r.IntN(2)], s[at]) +
						s[at+1:]
					break
				}
			}
		case 5: // insert at the end of a line
			for k := range len(list) {
				if s := &list[(i+k)%len(list)]; strings.Contains(*s, "\n") {
					*s = insert() + *s + insert()
					break
				}
			}
		default: // insert
			list[i] += insert()
		}
	}
	return []byte(strings.Join(list, ""))
}

// TestMutations is FuzzCheck without a fuzzer: it has as many cases as
// $CALLIOPE_QUICK_MUTATIONS says, and counts those that the library accepts.
func TestMutations(t *testing.T) {
	cases := 400
	if n, err := strconv.Atoi(os.Getenv("CALLIOPE_QUICK_MUTATIONS")); err == nil {
		cases = n
	}
	var seeds [][]byte
	for _, form := range forms {
		seeds = append(seeds, []byte(form.text))
	}
	modules(t, func(path string, data []byte) {
		if len(data) < 20_000 && !crashes(path) && !mlir.IsBytecode(data) {
			seeds = append(seeds, data)
		}
	})
	library, jaxlib := mlirtest.Library(t), mlirtest.Jaxlib(t)
	accepted, findings := 0, 0
	for i := range cases {
		data := mutate(seeds[i%len(seeds)], uint64(i))
		if dangerous(data) {
			continue
		}
		of := library
		if bytes.Contains(data, []byte("mhlo.")) {
			of = jaxlib
		}
		want, ok := parsed(of, data)
		got := found(data)
		if !ok || refused(got) {
			continue
		}
		accepted++
		findings += len(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d (-parsed +found):\n%s\n%q", i, diff, data)
		}
	}
	t.Logf("%d of %d accepted, with %d findings", accepted, cases, findings)
	if accepted < cases/10 {
		t.Errorf("the library accepted only %d of %d", accepted, cases)
	}
}
