package einsum

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A term is an array with a letter for each of its dimensions.
type term struct {
	mlir.Value
	labels string
}

func (t term) index(label byte) int { return strings.IndexByte(t.labels, label) }

func (t term) dims() []int64 { dims, _ := t.Type().Dims(); return dims }

func (t term) element() mlir.Type { element, _ := t.Type().Element(); return element }

func has(labels string, label byte) bool { return strings.IndexByte(labels, label) >= 0 }

// read returns the operands and the result of an einsum with their labels. Digits are the labels of the dimensions for
// which "..." stands, of which the last one is 0.
func read(config string, op mlir.Operation) (operands []term, result term, err error) {
	from, to, ok := strings.Cut(strings.ReplaceAll(config, " ", ""), "->")
	parts := strings.Split(from, ",")
	if n := op.NumOperands(); !ok || len(parts) != n {
		return nil, result, fmt.Errorf("it has the configuration %q, which is not of %d operands and a result: "+
			`write, for example, "ij,jk->ik"`, config, n)
	}
	for i, v := range op.OperandValues() {
		operands = append(operands, term{v, parts[i]})
	}
	sizes := map[byte]int64{}
	for i := range operands {
		if err := operands[i].spell(); err != nil {
			return nil, result, err
		}
		for k, l := range []byte(operands[i].labels) {
			size, known := sizes[l]
			switch n := operands[i].dims()[k]; {
			case !known || size == 1 && operands[i].isOnly(k):
				sizes[l] = n
			case n != size && (n != 1 || !operands[i].isOnly(k)):
				return nil, result, fmt.Errorf("it has the sizes %d and %d for the label %q", size, n, rune(l))
			}
		}
	}
	result = term{op.Result(0), to}
	if err := result.spell(); err != nil {
		return nil, result, err
	}
	for k, l := range []byte(result.labels) {
		size, known := sizes[l]
		switch n := result.dims()[k]; {
		case !known:
			return nil, result, fmt.Errorf("it has a result with the label %q, which no operand has", rune(l))
		case size != n:
			return nil, result, fmt.Errorf("it has the sizes %d and %d for the label %q", size, n, rune(l))
		}
	}
	return operands, result, nil
}

// isOnly reports whether no other dimension of t has the label of dimension k.
func (t term) isOnly(k int) bool { return strings.Count(t.labels, t.labels[k:k+1]) == 1 }

// spell gives each dimension a label.
func (t *term) spell() error {
	wrong := fmt.Errorf("it has the labels %q for %d dimensions", t.labels, len(t.dims()))
	if first, rest, ok := strings.Cut(t.labels, "..."); ok {
		const digits = "9876543210"
		n := len(t.dims()) - len(first) - len(rest)
		if n < 0 || n > len(digits) {
			return wrong
		}
		t.labels = first + digits[len(digits)-n:] + rest
	}
	if len(t.labels) != len(t.dims()) {
		return wrong
	}
	return nil
}
