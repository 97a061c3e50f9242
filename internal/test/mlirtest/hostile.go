package mlirtest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// Hostile creates each sample with each of its parts replaced by wrong or unusual ones, and
// checks that this returns an operation or an error, and does not end the process.
func Hostile(t *testing.T, samples []Sample) {
	t.Helper()
	Outlives(t, func(t *testing.T, start int) { hostile(t, samples, start) })
}

// Outlives checks that none of try's cases ends the process. try starts at case number start,
// and prints each case, with CaseMark before it. It runs in a child process, which runs the
// same test, and of its subtests those that are selected, so that Outlives can report a crash.
func Outlives(t *testing.T, try func(t *testing.T, start int)) {
	t.Helper()
	const env = "CALLIOPE_TEST_HOSTILE"
	if from := os.Getenv(env); from != "" {
		start, _ := strconv.Atoi(from)
		try(t, start)
		fmt.Println(CaseMark + "done")
		return
	}
	run := "-test.run=^" + t.Name() + "$"
	if _, subtests, ok := strings.Cut(flag.Lookup("test.run").Value.String(), "/"); ok {
		run += "/" + subtests
	}
	for start, crashes := 0, 0; ; crashes++ {
		cmd := exec.Command(os.Args[0], run, "-test.timeout=20m")
		cmd.Env = append(os.Environ(), env+"="+strconv.Itoa(start))
		var out, errors bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errors
		err := cmd.Run()
		var last, report string
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			if line, ok := strings.CutPrefix(lines.Text(), CaseMark); ok {
				last = line
			} else {
				report += lines.Text() + "\n"
			}
		}
		if last == "done" {
			if err != nil {
				t.Error(report)
			}
			return
		}
		number, what, _ := strings.Cut(last, " ")
		n, bad := strconv.Atoi(number)
		t.Errorf("crashed: %s (%v): %s", what, err, head(errors.String()))
		if bad != nil || crashes == crashLimit {
			t.Fatalf("too many crashes: %v", err)
		}
		start = n + 1
	}
}

// crashLimit is large enough to see all crashes of a new release of the library.
const crashLimit = 200

// CaseMark is printed before the number of a case.
const CaseMark = "case: "

// head returns the first lines of a crash, without the stacks.
func head(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if len(lines) < 3 && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, " | ")
}

func hostile(t *testing.T, samples []Sample, start int) {
	n := 0
	EachEngine(t, func(t *testing.T, e Engine) {
		for _, s := range samples {
			c := ContextOf(t, e.Library)
			if !c.Registered(s.Name) || !s.supported(c) {
				continue
			}
			h := &hostility{c: c, s: s}
			h.collectTypes()
			fresh := h.fresh()
			r := rand.New(rand.NewPCG(1, 2))
			count := len(h.mutations(fresh))
			for i := range count + pairsEach {
				this := n
				n++
				// Drawn even if they are not used, so that cases keep their numbers.
				first, second := r.IntN(count), r.IntN(count)
				if i < count {
					first, second = i, -1
				}
				if this < start {
					continue
				}
				h.try(this, first, second)
			}
			attributes := h.attributes()
			for i := range attributes * len(oddAttributes) {
				if n++; n > start {
					h.tryAttribute(n-1, i/len(oddAttributes), oddAttributes[i%len(oddAttributes)])
				}
			}
			c.Close()
		}
	})
}

// pairsEach is the number of pairs of replacements that are tried for a sample.
const pairsEach = 20

type hostility struct {
	c     *mlir.Context
	s     Sample
	types []mlir.Type
}

// oddTypes are types of operands and results that few or no operations take.
var oddTypes = []string{
	"none", "!stablehlo.token", "tuple<>", "tuple<tensor<f32>, tensor<2xi32>>", "tensor<*xf32>", "f32", "i1", "index",
	"memref<2xf32>", "vector<4xf32>", "() -> ()", "tensor<f32>", "tensor<i32>", "tensor<2xf32>", "tensor<?xf32>",
	"tensor<0xf32>",
	"tensor<2x3x4x5xf32>", "tensor<?x?x?xi32>", "tensor<2x?xf32, #stablehlo.bounds<?, 4>>", "tensor<2xi1>",
	"tensor<3x3xcomplex<f32>>",
	"tensor<2xindex>", "tensor<2x!stablehlo.token>", "tensor<4xvector<2xf32>>", "tensor<9223372036854775807xf32>",
	"tensor<3x3x!quant.uniform<i8:f32, 0.5:3>>", "tensor<3x3x!quant.uniform<i8:f32:1, {0.5:3, 0.25, 0.125}>>",
}

func (h *hostility) collectTypes() {
	_ = h.c.LoadDialect("quant")
	for _, text := range oddTypes {
		if t, err := h.c.ParseType(text); err == nil {
			h.types = append(h.types, t)
		}
	}
}

// fresh returns a new struct of the sample.
func (h *hostility) fresh() reflect.Value {
	b := &Body{C: h.c}
	b.Block = h.c.NewBlock(mlir.Location{}, b.Types(h.s.Operand...)...)
	for _, v := range b.Block.Arguments() {
		b.In = append(b.In, v)
	}
	made := reflect.ValueOf(h.s.Make(b).Operation)
	root := reflect.New(made.Type()).Elem()
	root.Set(made)
	return root
}

func (h *hostility) try(n, first, second int) {
	root := h.fresh()
	list := h.mutations(root)
	what := list[first].what
	if second >= 0 {
		what += " and " + list[second].what
	}
	fmt.Printf("%s%d %s: %s\n", CaseMark, n, h.s.Name, what)
	list[first].apply()
	if second >= 0 {
		list[second].apply()
	}
	op, err := Create(h.c, root.Interface().(Operation))
	if err != nil {
		return
	}
	_ = op.Verify()
	_ = op.String()
	_ = op.Erase()
}

// state returns the parts of the sample's operation.
func (h *hostility) state() mlir.OperationState {
	op := check.Must(Create(h.c, h.fresh().Interface().(Operation)))
	s := mlir.OperationState{Name: h.s.Name, InferResults: h.c.InfersTypes(h.s.Name)}
	for _, v := range op.Operands() {
		s.Operands = append(s.Operands, v)
	}
	for name, a := range op.Attributes() {
		s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	for _, r := range op.Regions() {
		region := h.c.NewRegion()
		region.TakeBody(r)
		s.Regions = append(s.Regions, region)
	}
	if !s.InferResults {
		for _, v := range op.Results() {
			s.Results = append(s.Results, v.Type())
		}
	}
	return s
}

func (h *hostility) attributes() int { return len(h.state().Attributes) }

// tryAttribute creates the operation with an attribute of another kind, which structs cannot have.
func (h *hostility) tryAttribute(n, i int, odd string) {
	s := h.state()
	a := &s.Attributes[i]
	fmt.Printf("%s%d %s: attribute %s = %s\n", CaseMark, n, h.s.Name, a.Name, odd)
	a.Value = Attribute(h.c, odd)
	op, err := mlir.Create(h.c, s)
	if err != nil {
		return
	}
	_ = op.Verify()
	_ = op.String()
	_ = op.Erase()
}

// A mutation replaces a part of a struct.
type mutation struct {
	what  string
	apply func()
}

func (h *hostility) mutations(root reflect.Value) (list []mutation) {
	for i := range root.NumField() {
		list = append(list, h.field(root.Type().Field(i).Name, root.Field(i))...)
	}
	for _, typ := range h.types {
		list = append(list, mutation{"every operand " + typ.String(), func() {
			for i := range root.NumField() {
				switch v := root.Field(i).Addr().Interface().(type) {
				case *mlir.Value:
					*v = h.value(typ)
				case *[]mlir.Value:
					for i := range *v {
						(*v)[i] = h.value(typ)
					}
				}
			}
		}})
	}
	return list
}

func (h *hostility) value(t mlir.Type) mlir.Value {
	return h.c.NewBlock(mlir.Location{}, t).Argument(0)
}

const (
	most  = 1<<63 - 1
	least = -1 << 63
)

// field returns replacements of the value of a field.
func (h *hostility) field(name string, v reflect.Value) (list []mutation) {
	put := func(values ...any) {
		for _, value := range values {
			list = append(list, mutation{fmt.Sprintf("%s = %v", name, value), func() {
				v.Set(reflect.ValueOf(value).Convert(v.Type()))
			}})
		}
	}
	do := func(what string, apply func()) { list = append(list, mutation{name + " = " + what, apply}) }
	switch p := v.Addr().Interface().(type) {
	case *mlir.Value:
		do("nil", func() { *p = mlir.Value{} })
		for _, t := range h.types {
			do(t.String(), func() { *p = h.value(t) })
		}
		return list
	case *[]mlir.Value:
		do("nil", func() { *p = nil })
		if len(*p) > 0 {
			do("the first", func() { *p = (*p)[:min(1, len(*p))] })
			do("twice as many", func() { *p = append((*p)[:len(*p):len(*p)], *p...) })
			for _, t := range h.types {
				do("the last one "+t.String(), func() { setLast(*p, h.value(t)) })
			}
		}
		return list
	case *mlir.Type:
		for _, t := range h.types {
			do(t.String(), func() { *p = t })
		}
		return list
	case *[]mlir.Type:
		do("nil", func() { *p = nil })
		for _, t := range h.types {
			do("the first "+t.String(), func() { setFirst(*p, t) })
			do("one more "+t.String(), func() { *p = append(*p, t) })
		}
		return list
	case *mlir.Attribute:
		for _, text := range oddAttributes {
			do(text, func() { *p = Attribute(h.c, text) })
		}
		return list
	case *mlir.Region:
		for what, make := range h.regions() {
			do(what, func() { *p = make() })
		}
		return list
	case *[]mlir.Region:
		do("nil", func() { *p = nil })
		do("the first", func() { *p = (*p)[:min(1, len(*p))] })
		for what, make := range h.regions() {
			do("the last one "+what, func() { setLast(*p, make()) })
			do("the first one "+what, func() { setFirst(*p, make()) })
		}
		return list
	case *[][2]int64:
		same := func(pair [2]int64) (out [][2]int64) {
			for range *p {
				out = append(out, pair)
			}
			return out
		}
		put([][2]int64(nil), [][2]int64{}, [][2]int64{{0, 0}}, same([2]int64{-9, -9}), same([2]int64{most, most}),
			same([2]int64{least, 1}), make([][2]int64, 5))
		return list
	case *[][]int64:
		put([][]int64(nil), [][]int64{}, [][]int64{{}}, [][]int64{{0}}, [][]int64{{-1}}, [][]int64{{0, 0}},
			[][]int64{{0, 1, 2}, {3}}, [][]int64{{most}, {least}})
		return list
	}
	switch v.Kind() {
	case reflect.Bool:
		put(!v.Bool())
	case reflect.Int32:
		put(int32(-1), int32(0), int32(1), int32(1<<31-1), int32(-1<<31))
	case reflect.Int64:
		put(int64(-1), int64(0), int64(1), int64(2), int64(7), int64(most), int64(least))
	case reflect.Float32:
		put(float32(-1))
	case reflect.String:
		put("", "ODD", "FFT", "IFFT", "IRFFT", "DEFAULT", "NOTYPE", "SIGNED", "TRANSPOSE_INVALID", "ij,jk,kl->il", "->",
			",->")
	case reflect.Pointer:
		if !v.IsNil() {
			list = append(list, h.field(name, v.Elem())...)
			do("nil", func() { v.SetZero() })
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, h.field(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
	case reflect.Slice:
		do("nil", func() { v.SetZero() })
		do("empty", func() { v.Set(reflect.MakeSlice(v.Type(), 0, 0)) })
		switch v.Type().Elem().Kind() {
		case reflect.Int64:
			same := func(x int64) []int64 {
				out := make([]int64, v.Len())
				for i := range out {
					out[i] = x
				}
				return out
			}
			put([]int64{0}, []int64{-1}, []int64{1, 1}, []int64{0, 1}, []int64{99}, []int64{0, 0, 0},
				[]int64{5, 6, 7, 8, 9}, []int64{most}, []int64{least},
				same(-1), same(0), same(1), same(2), same(99), same(most), same(least))
		case reflect.Bool:
			put([]bool{true}, make([]bool, 5))
		case reflect.String:
			for _, words := range [][]string{{"HIGH"}, {"HIGH", "HIGH", "DEFAULT"}, {""}} {
				do(fmt.Sprint(words), func() {
					v.Set(reflect.MakeSlice(v.Type(), len(words), len(words)))
					for i, w := range words {
						v.Index(i).SetString(w)
					}
				})
			}
		}
	}
	return list
}

// setFirst and setLast do nothing if the list is empty, as it may be after another
// replacement.
func setFirst[T any](list []T, v T) {
	if len(list) > 0 {
		list[0] = v
	}
}

func setLast[T any](list []T, v T) {
	if len(list) > 0 {
		list[len(list)-1] = v
	}
}

// oddAttributes replace attributes whose kind is not limited.
var oddAttributes = []string{
	"unit", `"x"`, "[]", "[1, 2]", "[[1, 0], [0]]", `[["x"]]`, "{}", "1 : i64", "1.0 : f64", "dense<1> : tensor<2xi32>",
	"dense<> : tensor<0xf32>",
	"dense<1.0> : vector<2xf32>", "sparse<[0], 1.0> : tensor<2xf32>", "array<i64: 1>", "@symbol", "f32", "true",
}

// regions returns functions that create regions that few or no operations take.
func (h *hostility) regions() func(yield func(string, func() mlir.Region) bool) {
	c := h.c
	block := func(types []string, returns int) mlir.Block {
		var list []mlir.Type
		for _, text := range types {
			list = append(list, Type(c, text))
		}
		b := c.NewBlock(mlir.Location{}, list...)
		if returns >= 0 {
			var values []mlir.Value
			for range returns {
				values = append(values, b.Argument(0))
			}
			check.Must(mlir.Create(b, mlir.OperationState{Name: "stablehlo.return", Operands: values}))
		}
		return b
	}
	of := func(make func() []mlir.Block) func() mlir.Region {
		return func() mlir.Region {
			r := c.NewRegion()
			for _, b := range make() {
				r.Append(b)
			}
			return r
		}
	}
	return func(yield func(string, func() mlir.Region) bool) {
		if !yield("nil", func() mlir.Region { return mlir.Region{} }) ||
			!yield("empty", of(func() []mlir.Block { return nil })) {
			return
		}
		for _, types := range [][]string{
			nil, {"tensor<f32>"}, {"tensor<f32>", "tensor<f32>"}, {"tensor<i1>", "tensor<i1>"},
			{"tensor<f32>", "tensor<f32>", "tensor<f32>", "tensor<f32>"},
			{"none"}, {"none", "none"}, {"!stablehlo.token", "!stablehlo.token"}, {"tensor<*xf32>", "tensor<*xf32>"},
			{"tensor<2xf32>", "tensor<2xf32>"},
			{"tensor<?xf32>", "tensor<?xi32>"}, {"tuple<>", "tuple<>"}, {"f32", "f32"},
		} {
			for _, returns := range []int{-1, 0, 1, 2} {
				if returns > 0 && types == nil {
					continue
				}
				if !yield(fmt.Sprintf("a block of %v that returns %d", types, returns),
					of(func() []mlir.Block { return []mlir.Block{block(types, returns)} })) {
					return
				}
			}
		}
		yield("two blocks", of(func() []mlir.Block {
			return []mlir.Block{block([]string{"tensor<f32>", "tensor<f32>"}, 1), block(nil, 0)}
		}))
	}
}
