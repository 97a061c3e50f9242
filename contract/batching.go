package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// A Batching says how a callback is called for a batch, and whether a call is one already.
type Batching struct {
	// Method is how package vmap calls the callback for a batch, or the function of the module that computes the batch,
	// as a FunctionRule. "" leaves it to vmap.Options.
	Method BatchMethod
	// Parallel says that the call is a batch whose elements are calls of the function, in any order and at the same
	// time. It has, for each dimension of the batch, the outermost first and separated by commas, a character for each
	// data operand: "*" if its first dimension is that of the batch, and "." if all elements have it. See Divide.
	Parallel string
}

// A BatchMethod is how a callback whose results the host computes is called for a batch: vmap_method in JAX.
type BatchMethod string

const (
	// Sequential calls it for each element, in a loop.
	Sequential BatchMethod = "sequential"
	// SequentialUnrolled calls it for each element, by as many operations.
	SequentialUnrolled BatchMethod = "sequential_unrolled"
	// ExpandDims calls it once. What is batched has the batch as its first dimension, and the other
	// arguments have a first dimension of size 1.
	ExpandDims BatchMethod = "expand_dims"
	// BroadcastAll calls it once. All arguments have the batch as their first dimension.
	BroadcastAll BatchMethod = "broadcast_all"
	// Parallel calls it for each element, on several goroutines at the same time: see callbacks.Options. The module
	// has one operation for all. It is for calls that are not ordered.
	Parallel BatchMethod = "parallel"
)

// BatchMethods returns the methods that have a name.
func BatchMethods() []BatchMethod {
	return []BatchMethod{Sequential, SequentialUnrolled, ExpandDims, BroadcastAll, Parallel}
}

// Function returns the name of the function of the module that computes the batch. It returns false for a method.
func (m BatchMethod) Function() (name string, ok bool) { return Rule(m).Function() }

// axes returns the dimensions of the batch of a call with the key "parallel", the outermost first: for each operand
// "*" if it has the dimension, and "." otherwise.
func (c Config) axes() []string {
	if c.Batching.Parallel == "" {
		return nil
	}
	return strings.Split(c.Batching.Parallel, ",")
}

// validateBatching returns an error if the key "parallel" is not valid.
func (c Config) validateBatching() error {
	axes := c.axes()
	switch {
	case axes == nil:
		return nil
	case c.Form != Call && c.Form != Pure:
		return fmt.Errorf("contract: callback %q of the form %s cannot be called in parallel: "+
			"only the forms call and pure have results of their own", c.Name(), c.Form)
	case c.NumTokens > 0:
		return fmt.Errorf("contract: callback %q cannot be called in parallel, because its calls are ordered by tokens",
			c.Name())
	}
	for _, axis := range axes {
		if !strings.Contains(axis, "*") || strings.Trim(axis, "*.") != "" || len(axis) != len(axes[0]) {
			return fmt.Errorf("contract: callback %q has the key parallel %.200q; write it like *.,** "+
				"with a character for each data operand, * or ., and one * at least in each part", c.Name(), c.Batching.Parallel)
		}
	}
	return nil
}

// Parts say how a call with the key "parallel" is divided into the calls of its elements.
type Parts struct {
	Operands, Results []tensor.Shape // of one element
	sizes             []int          // of the dimensions of the batch
	axes              []string
}

// Divide returns the parts of a call with these data operands and results. A call without the key
// "parallel" is one part.
func (c Config) Divide(operands, results []tensor.Shape) (Parts, error) {
	p := Parts{Operands: slices.Clone(operands), Results: slices.Clone(results), axes: c.axes()}
	for k, axis := range p.axes {
		if len(axis) != len(operands) {
			return Parts{}, fmt.Errorf("contract: callback %q has %d data operands, but its key parallel is %.200q: "+
				"write a character for each", c.Name(), len(operands), c.Batching.Parallel)
		}
		size := unset
		for i := range p.Operands {
			if axis[i] == '*' && !take(&p.Operands[i], &size) {
				return Parts{}, c.indivisible(k, "operand", i, operands[i])
			}
		}
		for i := range p.Results {
			if !take(&p.Results[i], &size) {
				return Parts{}, c.indivisible(k, "result", i, results[i])
			}
		}
		p.sizes = append(p.sizes, size)
	}
	return p, nil
}

// SignatureOf returns the signature of a call with these data operands and results: that of one element, with the key
// "parallel".
func (c Config) SignatureOf(operands, results []tensor.Shape) (string, error) {
	p, err := c.Divide(operands, results)
	if err != nil {
		return "", err
	}
	return Signature(p.Operands, p.Results), nil
}

// unset is a size that no dimension has.
const unset = -2

// take removes the first dimension of a shape. It returns false if the shape has none of that size.
func take(s *tensor.Shape, size *int) bool {
	if len(s.Dims) == 0 || *size != unset && s.Dims[0] != *size {
		return false
	}
	*size, s.Dims = s.Dims[0], s.Dims[1:]
	return true
}

func (c Config) indivisible(k int, what string, i int, s tensor.Shape) error {
	return fmt.Errorf("contract: callback %q is called in parallel, but %s %d is %s, which lacks dimension %d of the batch",
		c.Name(), what, i, s, k)
}

// Len returns the number of elements.
func (p Parts) Len() int { return product(p.sizes) }

// Of returns the arrays of an element of a call with these operands and results, as views of their memory.
func (p Parts) Of(operands, results []tensor.View, element int) (in, out []tensor.View) {
	in, out = make([]tensor.View, len(operands)), make([]tensor.View, len(results))
	for i, v := range operands {
		in[i] = part(v, p.Operands[i], p.place(element, i))
	}
	for i, v := range results {
		out[i] = part(v, p.Results[i], element)
	}
	return in, out
}

// place returns which part of operand i an element gets.
func (p Parts) place(element, i int) (place int) {
	for k, axis := range p.axes {
		rest := product(p.sizes[k+1:])
		if axis[i] == '*' {
			place = place*p.sizes[k] + element/rest
		}
		element %= rest
	}
	return place
}

func part(v tensor.View, shape tensor.Shape, place int) tensor.View {
	n := shape.NumBytes()
	return tensor.View{Shape: shape, Data: v.Data[place*n : (place+1)*n : (place+1)*n]}
}

func product(list []int) int {
	n := 1
	for _, size := range list {
		n *= size
	}
	return n
}
