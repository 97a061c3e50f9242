package guard

import (
	"bytes"
	"strconv"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// The library aborts when it prints dimension numbers of a convolution that do not name each dimension once.
// Text can have such numbers only in the form #stablehlo.conv<raw input_batch_dimension = 0, …>.

const (
	tooLargeDims = "a dimension number has more than 4 digits: the library would crash on it"
	wrongDims    = "the dimension numbers of a convolution must name each dimension once: " +
		"the library would crash on them"
)

var (
	largeDimension = lazyregexp.New(`\[[\s,?0-9bfio]*[bfio][\s,?0-9bfio]*\d{5}[\d\s,?bfio]*\]|` +
		`\[[\s,?0-9]*\d{5}[\s,?0-9]*[bfio][\d\s,?bfio]*\]`)
	rawNumbers = lazyregexp.New(`\braw\b[^>]*`)
	rawNumber  = lazyregexp.New(`\b(input|kernel|output)_\w+_dimensions?\s*=\s*(\[[^\]]*|-?\d+)`)

	// codeConvolution is the code of the dimension numbers of a convolution.
	codeConvolution = map[string]uint64{"stablehlo": 4}
)

// largeNumber looks for a dimension number in a text that is too large.
func largeNumber(text []byte) (at int, wrong string) {
	if lex.Index(text, "]x[") >= 0 {
		if i := largeDimension().FindIndex(text); i != nil {
			return i[0], tooLargeDims
		}
	}
	return 0, ""
}

// wrongRawNumbers looks for dimension numbers in a text that do not name each dimension once.
func wrongRawNumbers(text []byte) (at int, wrong string) {
	if !bytes.Contains(text, []byte("_dimension")) {
		return 0, ""
	}
	for _, span := range rawNumbers().FindAllIndex(text, -1) {
		given := rawNumber().FindAllSubmatch(text[span[0]:span[1]], -1)
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
						return span[0], wrongDims
					}
					numbers = append(numbers, number)
				}
			}
			if len(given) > 0 && !namesEach(append(numbers, make([]int64, max(0, 2-alone))...)) {
				return span[0], wrongDims
			}
		}
	}
	return 0, ""
}

// wrongNumbers looks for dimension numbers in bytecode that do not name each dimension once.
func (m *module) wrongNumbers() (wrong string) {
	for i := range m.Attributes {
		r, ok := content(m.Attributes, uint64(i), codeConvolution)
		if !ok {
			continue
		}
		for range 3 { // input, kernel, output: two numbers and a list of others
			numbers := []int64{r.Signed(), r.Signed()}
			for n := r.Number(); n > 0 && !r.Ended(); n-- {
				numbers = append(numbers, r.Signed())
			}
			if !namesEach(numbers) {
				return wrongDims
			}
		}
	}
	return ""
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
