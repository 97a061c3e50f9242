package lapack

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

// fitting returns operands and results that fit together, for matrices of m by n elements and
// k reflectors.
func fitting(e elementType, routine string, attributes callbacks.Attributes, m, n, k int) (operands, results []shape) {
	least := min(m, n)
	item, square, less := e.item(m, n), e.item(n, n), e.item(max(0, n-1))
	option := func(name string) any {
		value, _ := attributes.Get(name)
		return value
	}
	switch routine {
	case "trsm":
		if option("side") == uint8('L') {
			square = e.item(m, m)
		}
		return []shape{square, item}, []shape{item}
	case "getrf":
		return []shape{item}, []shape{item, numbers(least), numbers()}
	case "geqrf":
		return []shape{item}, []shape{item, e.item(least)}
	case "geqp3":
		return []shape{item, numbers(n)}, []shape{item, numbers(n), e.item(least)}
	case "orgqr", "ungqr":
		return []shape{e.item(max(m, n), least), e.item(min(k, least))}, []shape{e.item(max(m, n), least)}
	case "ormqr", "unmqr":
		order := n
		if option("left") == true {
			order = m
		}
		return []shape{e.item(order, k), e.item(min(k, order)), item}, []shape{item}
	case "potrf":
		return []shape{square}, []shape{square, numbers()}
	case "gesdd", "gesvd":
		u, vt := e.item(m, least), e.item(least, n)
		if option("mode") == uint8('A') {
			u, vt = e.item(m, m), square
		}
		return []shape{item}, []shape{item, e.reals(least), u, vt, numbers()}
	case "syevd", "heevd":
		return []shape{square}, []shape{square, e.reals(n), numbers()}
	case "geev":
		return []shape{square}, geevResults(e, n)
	case "gees":
		results = []shape{square, square, e.item(n), e.item(n), numbers(), numbers()}
		if e.complex {
			results = slices.Delete(results, 2, 3)
		}
		return []shape{square}, results
	case "gehrd":
		return []shape{square}, []shape{square, less, numbers()}
	case "sytrd", "hetrd":
		return []shape{square}, []shape{square, e.reals(n), e.reals(max(0, n-1)), less, numbers()}
	}
	return []shape{e.item(n), e.item(n), e.item(n), e.item(n, m)},
		[]shape{e.item(n), e.item(n), e.item(n), e.item(n, m), numbers()}
}

// TestRandomShapes calls each target with random shapes that fit together, and with some of
// them changed. LAPACK accepts the arguments of each call that is served: info is not negative,
// and 0 for a matrix without elements.
func TestRandomShapes(t *testing.T) {
	check.NoRaces(t)
	functions := check.Must(load(check.Must(native.Find(native.LAPACK)).Path))
	rnd := seeded()
	for _, r := range routines {
		for _, v := range r.variants {
			e := elementTypes[strings.IndexByte("sdcz", v.name[0])]
			for range 300 {
				n := rnd.IntN(4)
				attributes := randomAttributes(rnd, r, n)
				operands, results := fitting(e, v.name[1:], attributes, rnd.IntN(4), n, rnd.IntN(4))
				dims := [][]int{nil, {rnd.IntN(3)}, {2, rnd.IntN(3)}}[rnd.IntN(3)]
				frame := &callbacks.Frame{Attributes: attributes}
				for _, s := range operands {
					frame.Args = append(frame.Args, randomArray(t, rnd, s, dims))
				}
				for _, s := range results {
					frame.Results = append(frame.Results, randomArray(t, rnd, s, dims))
				}
				changed := rnd.IntN(2) == 0
				if changed {
					change(t, rnd, frame)
				}
				err := functions[v.name](frame)
				if err != nil && !changed {
					t.Errorf("%s: %v", v.target(), err)
				}
				if last := results[len(results)-1]; err != nil || last.dtype != tensor.S32 {
					continue
				}
				info := frame.Results[len(frame.Results)-1]
				for i := range info.Shape.NumElements() {
					if got := info.At(i).(int32); got < 0 || n == 0 && got != 0 {
						t.Errorf("%s: info is %s: %v %v", v.target(), info, frame.Args, attributes)
					}
				}
			}
		}
	}
}

// TestEmptySVD decomposes matrices without elements: U and V are then the identity.
func TestEmptySVD(t *testing.T) {
	functions := check.Must(load(check.Must(native.Find(native.LAPACK)).Path))
	for _, e := range elementTypes {
		for _, size := range [][2]int{{0, 3}, {3, 0}, {0, 0}} {
			m, n := size[0], size[1]
			attributes := callbacks.Attributes{{Name: "mode", Value: uint8('A')}}
			operands, results := fitting(e, "gesdd", attributes, m, n, 0)
			frame := &callbacks.Frame{Attributes: attributes}
			frame.Args = append(frame.Args, randomArray(t, seeded(), operands[0], []int{2}))
			for _, s := range results {
				frame.Results = append(frame.Results, randomArray(t, seeded(), s, []int{2}))
			}
			check.NoError(t, functions[e.letter+"gesdd"](frame))
			for i, want := range []matrix{eye(m), eye(n)} {
				for _, got := range batchOf(frame.Results[2+i], results[2+i]).items {
					near(t, e, "a unitary matrix", want, got)
				}
			}
		}
	}
}

// change changes an operand, a result, the number of them or an attribute.
func change(t *testing.T, rnd *rand.Rand, f *callbacks.Frame) {
	t.Helper()
	list := &f.Args
	if rnd.IntN(2) == 0 {
		list = &f.Results
	}
	i := rnd.IntN(len(*list))
	old := (*list)[i].Shape
	dims := slices.Clone(old.Dims)
	dtype := old.DType
	switch kind := rnd.IntN(6); {
	case kind == 0:
		*list = slices.Delete(*list, i, i+1)
		return
	case kind == 1 && len(f.Attributes) > 0:
		f.Attributes = slices.Delete(slices.Clone(f.Attributes), 0, 1)
		return
	case kind == 2:
		dtype = []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128, tensor.S32}[rnd.IntN(5)]
	case kind == 3 && len(dims) > 0:
		dims = dims[1:]
	case kind == 4 && len(dims) > 0:
		dims[rnd.IntN(len(dims))] = rnd.IntN(5)
	default:
		dims = append(dims, rnd.IntN(3))
	}
	(*list)[i] = randomArray(t, rnd, shape{dtype, dims}, nil)
}

func randomArray(t *testing.T, rnd *rand.Rand, s shape, dims []int) tensor.View {
	t.Helper()
	n := tensor.Shape{Dims: slices.Concat(dims, s.dims)}.NumElements()
	return view(t, s, batch{dims: dims, items: []matrix{random(rnd, elementTypes[1], n, 1)}})
}

// randomAttributes returns attributes that the routine accepts, for a matrix of order n.
func randomAttributes(rnd *rand.Rand, r *routine, n int) callbacks.Attributes {
	var list callbacks.Attributes
	low := int32(1 + rnd.IntN(max(1, n)))
	for _, a := range r.attributes {
		var value any
		switch {
		case a.name == "low":
			value = low
		case a.name == "high":
			value = min(low, int32(n)) + int32(rnd.IntN(1+max(0, n-int(low))))
		case a.chars == "":
			value = rnd.IntN(2) == 0
		default:
			chars := strings.Trim(a.chars, a.refused)
			value = chars[rnd.IntN(len(chars))]
		}
		list = append(list, callbacks.Attribute{Name: a.name, Value: value})
	}
	return list
}
