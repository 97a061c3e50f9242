package npz_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// Example writes two arrays, one of a type that NumPy lacks, and reads them back.
func Example() {
	dir, err := os.MkdirTemp("", "npz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weights.npz")
	if err := npz.WriteFile(path, []npz.Named{
		{Name: "bias", View: tensor.Vector[float32](0.5, -1)},
		{Name: "scale", View: tensor.Scalar(tensor.ToBFloat16(3))},
	}); err != nil {
		log.Fatal(err)
	}
	f, err := npz.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, name := range f.Names() {
		a, err := f.Array(name, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, a.View)
	}
	// Output:
	// bias f32[2] [0.5 -1]
	// scale bf16[] 3
}
