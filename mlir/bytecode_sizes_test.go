package mlir_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// lyingModule has all that bytecode counts: regions, blocks, operands, lists, functions, tuples, properties.
const lyingModule = `module @m attributes {a.list = [1, 2], a.type = (i32, f32) -> (i1, tuple<i8, i16>)} {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.add %a, %a : tensor<2x3xf32>
    %1 = "stablehlo.if"(%b) ({
      stablehlo.return %0 : tensor<2x3xf32>
    }, {
      stablehlo.return %a : tensor<2x3xf32>
    }) : (tensor<i1>) -> tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}`

// TestLyingCounts puts a large number in the place of each number of bytecode, in a child process: the library would
// take memory for what a count says, and abort. The tables of attributes and types have the sizes of their entries.
func TestLyingCounts(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		c := mlirtest.Context(t)
		m := check.Must(c.Parse("m", []byte(lyingModule)))
		data := check.Must(m.Bytecode())
		n, refused := 0, 0
		for _, s := range sectionsOf(data) {
			for at := s.body; at < s.end; at++ {
				width := bits.TrailingZeros8(data[at]) + 1
				if at+width > s.end || s.id == attributeValues {
					continue
				}
				for _, lie := range []uint64{1 << 31, 1<<64 - 1} {
					if n++; n <= start {
						continue
					}
					fmt.Printf("%ssection %d, byte %d, %d\n", mlirtest.CaseMark, s.id, at-s.body, lie)
					body := append(bytes.Clone(data[s.body:at]), varint(lie)...)
					body = append(body, data[at+width:s.end]...)
					changed := append(bytes.Clone(data[:s.start+1]), varint(uint64(len(body)))...)
					changed = append(append(changed, body...), data[s.end:]...)
					if lied, err := c.Parse("lying", changed); err == nil {
						lied.Close()
					} else if strings.Contains(err.Error(), "it states more of something than its bytes can be") {
						refused++
					}
				}
			}
		}
		if start == 0 && refused < 40 {
			t.Errorf("%d of %d were refused for what they state", refused, n)
		}
	})
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("m", []byte(lyingModule)))
	again, err := c.Parse("again", check.Must(m.Bytecode()))
	check.NoError(t, err)
	check.Diff(t, "the module", m.String(), again.String())
}

// attributeValues is the section whose parts have their sizes in another one.
const attributeValues = 2

type bytecodeSection struct {
	id               byte
	start, body, end int
}

// sectionsOf returns the sections of bytecode that are not aligned.
func sectionsOf(data []byte) (all []bytecodeSection) {
	number := func(at int) (uint64, int) {
		n := bits.TrailingZeros8(data[at]) + 1
		var b [8]byte
		copy(b[:], data[at:at+n])
		return binary.LittleEndian.Uint64(b[:]) >> n, n
	}
	_, n := number(4)
	at := 4 + n
	at += bytes.IndexByte(data[at:], 0) + 1
	for at < len(data) && data[at] < 0x80 {
		s := bytecodeSection{id: data[at], start: at}
		size, n := number(at + 1)
		s.body = at + 1 + n
		s.end = s.body + int(size)
		all, at = append(all, s), s.end
	}
	return all
}

func varint(v uint64) []byte {
	for n := 1; n <= 8; n++ {
		if v < 1<<(7*n) {
			return binary.LittleEndian.AppendUint64(nil, (v<<1|1)<<(n-1))[:n]
		}
	}
	return binary.LittleEndian.AppendUint64([]byte{0}, v)
}
