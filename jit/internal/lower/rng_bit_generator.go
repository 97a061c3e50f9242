package lower

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerRngBitGenerator makes an rng_bit_generator a loop over the blocks of a counter-based generator, in the order in
// which XLA gives their words to elements. The first word of the state is the key, and the others are the counter.
func lowerRngBitGenerator(e *emitter) error {
	op, ok := stablehlo.AsRngBitGenerator(e.op)
	if !ok {
		return errMalformed
	}
	state := e.signless(op.InitialState)
	elem, _ := op.OutputType.Element()
	bits, _, isInteger := elem.IntegerWidth()
	stateElem, _ := state.Type().Element()
	if width, _, _ := stateElem.IntegerWidth(); width != 64 || !isInteger || bits < 8 {
		return errors.New("the generators need a state of ui64 and an output of integers of at least 8 bits")
	}
	g := generator{emitter: e, bits: bits, state: state, shape: dims(e.op.Result(1)), words: dims(state)[0]}
	g.key = g.word(0)
	if op.RngAlgorithm == stablehlo.RngThreeFry {
		return e.replace(g.threefry())
	}
	return e.replace(g.philox())
}

type generator struct {
	*emitter
	bits       int // of an element
	state, key mlir.Value
	words      int64 // of the state
	shape      []int64
}

// word returns a word of the state.
func (g *generator) word(i int64) mlir.Value { return tensor.Extract(g.Builder, g.state, g.index(i)) }

// number returns an integer of 32 or 64 bits.
func (g *generator) number(bits int, n uint64) mlir.Value {
	if bits == 32 {
		n = uint64(int64(int32(n)))
	}
	return arith.ConstantInt(g.Builder, g.integer(bits), int64(n))
}

// halves returns the low and the high 32 bits of a word.
func (g *generator) halves(word mlir.Value) (low, high mlir.Value) {
	b, i32 := g.Builder, g.integer(32)
	return arith.TruncI(b, i32, word), arith.TruncI(b, i32, arith.ShRUI(b, word, g.number(64, 32)))
}

// element makes an element of the 32 bits low, or of these and high if it has 64.
func (g *generator) element(low, high mlir.Value) mlir.Value {
	b, t := g.Builder, g.integer(g.bits)
	switch g.bits {
	case 32:
		return low
	case 64:
		return arith.OrI(b, arith.ExtUI(b, t, low), arith.ShLI(b, arith.ExtUI(b, t, high), g.number(64, 32)))
	}
	return arith.TruncI(b, t, low)
}

// count returns the number of an iteration as a word.
func (g *generator) count(i mlir.Value) mlir.Value {
	return arith.IndexCast(g.Builder, g.integer(64), i)
}

// threefry returns the new state and the output of ThreeFry, a block of which has two words. Elements of 64 bits take
// both. Of the others, two take one each that are next to each other in the dimension to halve.
func (g *generator) threefry() []mlir.Value {
	b, half := g.Builder, slices.Clone(g.shape)
	d := halved(g.shape)
	if g.bits < 64 && d >= 0 {
		half[d] = (half[d] + 1) / 2
	}
	blocks := product(half)
	output := g.nest(half, []mlir.Value{g.buffer(g.tensorOf(g.integer(g.bits), g.shape...))},
		func(at, output []mlir.Value) []mlir.Value {
			low, high := g.threefryBlock(arith.AddI(b, g.word(1), g.count(g.linear(at, half))))
			if g.bits == 64 || d < 0 {
				return g.insert([]mlir.Value{g.element(low, high)}, output, at)
			}
			place := slices.Clone(at)
			place[d] = arith.ShLI(b, at[d], g.index(1))
			output = g.insert([]mlir.Value{g.element(low, low)}, output, place)
			place = slices.Clone(place)
			place[d] = arith.AddI(b, place[d], g.index(1))
			inside := arith.CmpI(b, arith.CmpIPredicateUlt, place[d], g.index(g.shape[d]))
			return scf.Choose(b, inside,
				func() []mlir.Value { return g.insert([]mlir.Value{g.element(high, high)}, output, place) },
				func() []mlir.Value { return output })
		})
	next := tensor.Insert(b, arith.AddI(b, g.word(1), g.number(64, uint64(blocks))), g.state, g.index(1))
	return []mlir.Value{next, output[0]}
}

// halved returns the first dimension with an even size, or else the first of the largest, or -1 if there is none.
func halved(shape []int64) int {
	if i := slices.IndexFunc(shape, func(n int64) bool { return n%2 == 0 }); i >= 0 || len(shape) == 0 {
		return i
	}
	return slices.Index(shape, slices.Max(shape))
}

func product(sizes []int64) int64 {
	n := int64(1)
	for _, size := range sizes {
		n *= size
	}
	return n
}

// linear returns the number of an element in row-major order.
func (g *generator) linear(at []mlir.Value, shape []int64) mlir.Value {
	n := g.index(0)
	for d, i := range at {
		n = arith.AddI(g.Builder, arith.MulI(g.Builder, n, g.index(shape[d])), i)
	}
	return n
}

// threefryBlock returns the words of a block: 20 rounds, with a part of the key added after every fourth one.
func (g *generator) threefryBlock(counter mlir.Value) (x, y mlir.Value) {
	b := g.Builder
	var keys [3]mlir.Value
	keys[0], keys[1] = g.halves(g.key)
	const parity = 0x1BD11BDA
	keys[2] = arith.XOrI(b, g.number(32, parity), arith.XOrI(b, keys[0], keys[1]))
	rotations := [2][4]uint64{{13, 15, 26, 6}, {17, 29, 16, 24}}
	x, y = g.halves(counter)
	x, y = arith.AddI(b, x, keys[0]), arith.AddI(b, y, keys[1])
	for round := range 5 {
		for _, by := range rotations[round%2] {
			x = arith.AddI(b, x, y)
			y = arith.OrI(b, arith.ShLI(b, y, g.number(32, by)), arith.ShRUI(b, y, g.number(32, 32-by)))
			y = arith.XOrI(b, x, y)
		}
		x = arith.AddI(b, x, keys[(round+1)%3])
		y = arith.AddI(b, arith.AddI(b, y, keys[(round+2)%3]), g.number(32, uint64(round+1)))
	}
	return x, y
}

// philox returns the new state and the output of Philox, a block of which has four words of 32 bits: for four elements,
// or for two of 64 bits. A state of two words begins the counter of 128 bits with the key as its high half.
func (g *generator) philox() []mlir.Value {
	b := g.Builder
	low, high := g.word(1), g.key
	if g.words > 2 {
		high = g.word(2)
	}
	n := product(g.shape)
	each := int64(4) // elements of a block
	if g.bits == 64 {
		each = 2
	}
	words := n * 4 / each // in multiples of which the blocks are counted
	blocks := (words + 3) / 4
	output := g.nest([]int64{blocks}, []mlir.Value{g.buffer(g.tensorOf(g.integer(g.bits), blocks*each))},
		func(at, output []mlir.Value) []mlir.Value {
			w := g.philoxBlock(g.add128(low, high, g.count(at[0])))
			first := arith.MulI(b, at[0], g.index(each))
			for i := range each {
				element := g.element(w[i*4/each], w[i*4/each+(4/each)-1])
				place := arith.AddI(b, first, g.index(i))
				output = g.insert([]mlir.Value{element}, output, []mlir.Value{place})
			}
			return output
		})
	elements := stablehlo.Slice(b, output[0], []int64{0}, []int64{n}, []int64{1})
	shaped := stablehlo.Reshape(b, g.tensorOf(g.integer(g.bits), g.shape...), elements)
	sum := g.add128(low, high, g.number(64, uint64(blocks)))
	next := tensor.Insert(b, sum[0], g.state, g.index(1))
	if g.words > 2 {
		next = tensor.Insert(b, sum[1], next, g.index(2))
	}
	return []mlir.Value{next, shaped}
}

// add128 adds a word to a number of two words.
func (g *generator) add128(low, high, n mlir.Value) [2]mlir.Value {
	b := g.Builder
	sum := arith.AddI(b, low, n)
	carry := arith.ExtUI(b, g.integer(64),
		arith.CmpI(b, arith.CmpIPredicateUlt, sum, low))
	return [2]mlir.Value{sum, arith.AddI(b, high, carry)}
}

// philoxBlock returns the words of a block, after 10 rounds.
func (g *generator) philoxBlock(counter [2]mlir.Value) (w [4]mlir.Value) {
	b := g.Builder
	w[0], w[1] = g.halves(counter[0])
	w[2], w[3] = g.halves(counter[1])
	key0, key1 := g.halves(g.key)
	multiply := func(x mlir.Value, by uint64) (low, high mlir.Value) {
		wide := arith.ExtUI(b, g.integer(64), x)
		return g.halves(arith.MulI(b, wide, g.number(64, by)))
	}
	for range 10 {
		low0, high0 := multiply(w[0], 0xD2511F53)
		low1, high1 := multiply(w[2], 0xCD9E8D57)
		w = [4]mlir.Value{arith.XOrI(b, arith.XOrI(b, high1, w[1]), key0), low1,
			arith.XOrI(b, arith.XOrI(b, high0, w[3]), key1), low0}
		key0 = arith.AddI(b, key0, g.number(32, 0x9E3779B9))
		key1 = arith.AddI(b, key1, g.number(32, 0xBB67AE85))
	}
	return w
}
