package saved

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The parser of saved programs returns what was encoded, or a *Error.
func FuzzLoad(f *testing.F) {
	good, err := File{Header{Plugin: "00", Features: []string{"avx"}, Replicas: 2, Key: "k"},
		[]byte("a program, a program"), []byte("code")}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, 7, 3)
	f.Add(good[:20], 0, 0)
	f.Add([]byte(magic), -1, 1<<40)
	f.Add(append(bytes.Clone(good), 1), 1, 1)
	huge := bytes.Clone(good)
	for i := 12; i < 24; i++ {
		huge[i] = 0xff
	}
	f.Add(huge, 5, 5)
	p, err := Decode(good)
	if err != nil {
		f.Fatal(err)
	}
	_, payload, err := Unseal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload, p.Compressed, p.Size)
	f.Add(payload, p.Compressed, maxProgram)
	f.Fuzz(func(t *testing.T, data []byte, compressed, size int) {
		// Checksums are right in one of the two.
		sealed, err := Seal(Header{Compressed: compressed, Size: size}, data)
		check.NoError(t, err)
		for _, data := range [][]byte{data, sealed} {
			p, err := Decode(data)
			if err != nil {
				if _, ok := err.(*Error); !ok {
					t.Errorf("the error is %T", err)
				}
				check.Error(t, err, "want ")
				continue
			}
			again, err := p.Encode()
			check.NoError(t, err)
			p2, err := Decode(again)
			check.NoError(t, err)
			p.Payload, p.Compressed = p2.Payload, p2.Compressed // other compressions are read, too
			check.Diff(t, "saved program", p, p2, cmpopts.EquateEmpty())
		}
	})
}
