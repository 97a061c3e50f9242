package mlir

// codeConvolution is the code of the dimension numbers of a convolution.
var codeConvolution = map[string]uint64{"stablehlo": 4}

// maxDimension is the largest number that the guard of texts accepts, too.
const maxDimension = 9999

// largeNumbers reports whether a convolution has dimension numbers for which the library would crash.
func (m *bytecodeModule) largeNumbers() bool {
	for i := range m.attributes {
		r, ok := content(m.attributes, uint64(i), codeConvolution)
		if !ok {
			continue
		}
		for range 3 { // input, kernel, output: two numbers and a list of others
			large := r.signed()
			large = r.signed() || large
			for n := r.number(); n > 0 && !r.ended(); n-- {
				large = r.signed() || large
			}
			if large {
				return true
			}
		}
	}
	return false
}

// signed reads a signed number, and reports whether it cannot be a dimension number.
func (r *bytecodeReader) signed() (wrong bool) {
	n := r.number() // the lowest bit is the sign
	return n&1 != 0 || n>>1 > maxDimension
}
