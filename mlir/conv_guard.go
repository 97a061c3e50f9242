package mlir

import (
	"bytes"
	"strconv"

	"github.com/calliope-mlir/calliope/internal/lazyregexp"
)

// The library aborts when it prints dimension numbers of a convolution that do not name each dimension once.
// Text can have such numbers only in the form #stablehlo.conv<raw input_batch_dimension = 0, …>.

const wrongDims = "the dimension numbers of a convolution must name each dimension once: the library would crash on them"

var (
	rawNumbers = lazyregexp.New(`\braw\b[^>]*`)
	rawNumber  = lazyregexp.New(`\b(input|kernel|output)_\w+_dimensions?\s*=\s*(\[[^\]]*|-?\d+)`)

	// codeConvolution is the code of the dimension numbers of a convolution.
	codeConvolution = map[string]uint64{"stablehlo": 4}
)

// wrongRawNumbers returns the position of dimension numbers in a text that do not name each dimension once, or -1.
func wrongRawNumbers(text []byte) int {
	if !bytes.Contains(text, []byte("_dimension")) {
		return -1
	}
	for _, at := range rawNumbers().FindAllIndex(text, -1) {
		given := rawNumber().FindAllSubmatch(text[at[0]:at[1]], -1)
		for _, group := range []string{"input", "kernel", "output"} {
			var numbers []int64
			alone := 0 // how many are not in the list of spatial dimensions: two, which are 0 if they are not given
			for _, m := range given {
				list, isList := bytes.CutPrefix(m[2], []byte("["))
				if string(m[1]) != group || len(bytes.TrimSpace(list)) == 0 {
					continue
				}
				if !isList {
					alone++
				}
				for n := range bytes.SplitSeq(list, []byte(",")) {
					number, err := strconv.ParseInt(string(bytes.TrimSpace(n)), 10, 64)
					if err != nil {
						return at[0]
					}
					numbers = append(numbers, number)
				}
			}
			if len(given) > 0 && !namesEach(append(numbers, make([]int64, max(0, 2-alone))...)) {
				return at[0]
			}
		}
	}
	return -1
}

// wrongNumbers reports whether bytecode has dimension numbers that do not name each dimension once.
func (m *bytecodeModule) wrongNumbers() bool {
	for i := range m.attributes {
		r, ok := content(m.attributes, uint64(i), codeConvolution)
		if !ok {
			continue
		}
		for range 3 { // input, kernel, output: two numbers and a list of others
			numbers := []int64{r.signed(), r.signed()}
			for n := r.number(); n > 0 && !r.ended(); n-- {
				numbers = append(numbers, r.signed())
			}
			if !namesEach(numbers) {
				return true
			}
		}
	}
	return false
}

// namesEach reports whether numbers are those from 0 on, each once.
func namesEach(numbers []int64) bool {
	named := make([]bool, len(numbers))
	for _, n := range numbers {
		if n < 0 || n >= int64(len(numbers)) || named[n] {
			return false
		}
		named[n] = true
	}
	return true
}
