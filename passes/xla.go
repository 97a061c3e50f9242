package passes

import "github.com/calliope-mlir/calliope/mlir"

// ForXLA changes what XLA's CPU compiler gets wrong, and nothing else; see ExpandIntegerPowers,
// StateSignedness, NarrowUnsigned, RemoveEmptyLoops, KeepConditions, KeepValues and ConstrainLayouts. It is a part of Prepare. A second
// run changes nothing.
func ForXLA(m *mlir.Module) error {
	if _, err := ExpandIntegerPowers(m); err != nil {
		return err
	}
	if _, err := StateSignedness(m); err != nil {
		return err
	}
	if _, err := NarrowUnsigned(m); err != nil {
		return err
	}
	if _, err := RemoveEmptyLoops(m); err != nil {
		return err
	}
	if _, err := KeepConditions(m); err != nil {
		return err
	}
	if _, err := KeepValues(m); err != nil {
		return err
	}
	_, err := ConstrainLayouts(m)
	return err
}
