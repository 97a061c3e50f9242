package faults

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/tools/soak/load"
)

// overwrittenShape writes to the dimensions of a result. This must change neither later
// results nor the buffer itself.
func overwrittenShape(s *scene) func(int) error {
	programs := s.sizes(func(size int) string {
		typ := fmt.Sprintf("tensor<%dxf32>", size)
		return load.Main("%x: "+typ, typ, "%y = stablehlo.add %x, %x : "+typ+"\nreturn %y : "+typ)
	})
	return func(i int) error {
		size := programs[i%2].size
		for range 2 {
			in, err := s.input(i, size, float32(i))
			if err != nil {
				return err
			}
			out, err := programs[i%2].Run(s.ctx, in)
			if err := errors.Join(err, in.Close()); err != nil {
				return err
			}
			if got := out[0].Shape().Dims; !slices.Equal(got, []int{size}) {
				_, _ = first(out) // closes the buffers
				return fmt.Errorf("the result has the dimensions %v, want %d", got, size)
			}
			out[0].Shape().Dims[0] = 1
			v, err := out[0].ToHost(s.ctx)
			if err != nil {
				return err
			}
			v.Shape.Dims[0] = 1
			if err := gives(2 * float32(i))(first(out)); err != nil {
				return err
			}
		}
		return nil
	}
}
