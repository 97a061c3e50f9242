package lower

import (
	"errors"
	"fmt"
	"math"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// random makes each rng the numbers of an rng_bit_generator, with a state that no other call of the process gets.
func random(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.rng") {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op, module: m}
		v, err := e.random()
		if err == nil {
			err = e.Err()
		}
		if err != nil {
			return Refuse(op, Reason(err))
		}
		if err := e.replace([]mlir.Value{v}); err != nil {
			return err
		}
	}
	return nil
}

// random returns the result of an rng.
func (e *emitter) random() (v mlir.Value, err error) {
	rng, ok := stablehlo.AsRng(e.op)
	if !ok {
		return v, errMalformed
	}
	result := e.op.Result(0).Type()
	d := draw{emitter: e, dims: dims(e.op.Result(0))}
	if d.state, err = e.newState(); err != nil {
		return v, err
	}
	elem, _ := result.Element()
	d.bits = 32 // of a number that is computed with
	if bits, _, isInteger := elem.IntegerWidth(); isInteger && bits > 1 {
		d.bits = max(d.bits, bits) // their distribution is uniform: the verifier refuses another one
		return stablehlo.Convert(e.Builder, result, d.whole(rng.A, rng.B)), nil
	}
	kind, isFloat := elem.FloatKind()
	if !isFloat {
		return v, errors.New("its numbers must be floating-point ones, or integers of more than one bit")
	}
	d.bits = max(d.bits, kind.Bits())
	if rng.RngDistribution == stablehlo.RngNormal {
		return stablehlo.Convert(e.Builder, result, d.normal(rng.A, rng.B)), nil
	}
	v = stablehlo.Convert(e.Builder, result, d.uniform(rng.A, rng.B, precision(kind)))
	below := d.compare(v, d.all(rng.B, result), stablehlo.CompareLT)
	return stablehlo.Select(e.Builder, below, v, d.all(rng.A, result)), nil // a rounding may have reached b
}

// precision returns how many bits of a fraction a float has for sure.
func precision(kind mlir.FloatKind) int {
	switch kind {
	case mlir.F64:
		return 53
	case mlir.F32:
		return 24
	case mlir.F16:
		return 11
	case mlir.BF16:
		return 8
	}
	return 3
}

// newState returns a tensor<2xui64> that is another one for each call.
func (e *emitter) newState() (mlir.Value, error) {
	name := "calliope.random"
	for n := 1; hasSymbol(e.module, name); n++ {
		name = fmt.Sprint("calliope.random", n)
	}
	call := extern.Call{Function: "calliope_jit_random", Arrays: []extern.Array{
		{Value: e.buffer(e.tensorOf(e.integer(64), 2)), Access: extern.Write}}}
	made := call.Create(e.Builder, e.module, name)
	if e.Err() != nil {
		return mlir.Value{}, e.Err()
	}
	return e.cast(made[0], e.tensorOf(e.Context().IntegerType(64, mlir.Unsigned), 2)), nil
}

// A draw makes random numbers of some dimensions, as f32 or integers of 32 bits, or as f64 or integers of 64 bits.
type draw struct {
	*emitter
	bits  int
	dims  []int64
	state mlir.Value
}

// words returns random bits as unsigned integers, and keeps the state after them.
func (d *draw) words() (words mlir.Value) {
	t := d.tensorOf(d.Context().IntegerType(d.bits, mlir.Unsigned), d.dims...)
	d.state, words = stablehlo.RngBitGenerator(d.Builder, d.state.Type(), t, stablehlo.RngPhilox, d.state)
	return words
}

// floats returns the type of the floats.
func (d *draw) floats() mlir.Type {
	elem := d.Context().F32Type()
	if d.bits == 64 {
		elem = d.Context().F64Type()
	}
	return d.tensorOf(elem, d.dims...)
}

// all returns a number of rank 0 as an array of a type.
func (d *draw) all(v mlir.Value, t mlir.Type) mlir.Value {
	elem, _ := t.Element()
	if d.Err() != nil {
		return v
	}
	return stablehlo.BroadcastInDim(d.Builder, t, stablehlo.Convert(d.Builder, d.tensorOf(elem), v), nil)
}

// fractions returns numbers from 0 inclusive to 1 exclusive: all multiples of a power of two that have so many bits.
func (d *draw) fractions(bits int) mlir.Value {
	words := d.words()
	shifted := stablehlo.ShiftRightLogical(d.Builder, words, d.filledInt(words.Type(), int64(d.bits-bits)))
	x := stablehlo.Convert(d.Builder, d.floats(), shifted)
	return stablehlo.Multiply(d.Builder, x, d.like(x, math.Ldexp(1, -bits)))
}

// uniform returns floats from a inclusive to b, which only a rounding reaches. They have so many bits.
func (d *draw) uniform(a, b mlir.Value, bits int) mlir.Value {
	x := d.fractions(bits)
	low, high := d.all(a, x.Type()), d.all(b, x.Type())
	return stablehlo.Add(d.Builder, low, stablehlo.Multiply(d.Builder, x, stablehlo.Subtract(d.Builder, high, low)))
}

// normal returns floats with a mean and a standard deviation, by the transformation of Box and Muller.
func (d *draw) normal(mean, deviation mlir.Value) mlir.Value {
	bits := 24
	if d.bits == 64 {
		bits = 53
	}
	x := d.fractions(bits)
	angle := stablehlo.Multiply(d.Builder, d.fractions(bits), d.like(x, 2*math.Pi))
	// The logarithm is that of a number above 0 and up to 1.
	radius := stablehlo.Sqrt(d.Builder, stablehlo.Multiply(d.Builder,
		stablehlo.Log(d.Builder, stablehlo.Subtract(d.Builder, d.like(x, 1), x)), d.like(x, -2)))
	v := stablehlo.Multiply(d.Builder, radius, stablehlo.Cosine(d.Builder, angle))
	return stablehlo.Add(d.Builder, d.all(mean, v.Type()),
		stablehlo.Multiply(d.Builder, v, d.all(deviation, v.Type())))
}

// whole returns integers from a inclusive to b exclusive.
func (d *draw) whole(a, b mlir.Value) mlir.Value {
	words := d.words()
	t := words.Type()
	low := d.all(a, t)
	size := stablehlo.Maximum(d.Builder, stablehlo.Subtract(d.Builder, d.all(b, t), low), d.filledInt(t, 1))
	return stablehlo.Add(d.Builder, low, stablehlo.Remainder(d.Builder, words, size))
}

// filledInt returns a constant of integers, all of which are n.
func (d *draw) filledInt(t mlir.Type, n int64) mlir.Value {
	elem, _ := t.Element()
	if d.Err() != nil {
		return mlir.Value{}
	}
	value, err := d.Context().DenseFromAttributes(t, d.Context().IntegerAttribute(elem, n))
	d.Fail(err)
	if err != nil {
		return mlir.Value{}
	}
	return d.constant(value)
}
