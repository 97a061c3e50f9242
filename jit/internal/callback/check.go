package callback

import "github.com/calliope-mlir/calliope/mlir"

// CheckLoops makes each scf.while of the module end the run before its next iteration if the run must stop.
func (c *Calls) CheckLoops(m *mlir.Module) error {
	declared := false
	for op := range m.Operation().Index().Named("scf.while") {
		if c.Loops = true; !declared {
			declared = true
			added, err := m.Context().Parse("callback", []byte("func.func private @calliope_jit_check()"))
			if err != nil {
				return err
			}
			m.Body().Append(added.Body().First().Clone())
			if err := added.Close(); err != nil {
				return err
			}
		}
		b := mlir.NewBuilder(mlir.AtStart(op.Region(0).First()), op.Location())
		b.Create(mlir.OperationState{Name: "func.call", Attributes: []mlir.NamedAttribute{
			{Name: "callee", Value: m.Context().SymbolAttribute("calliope_jit_check")}}})
		if b.Err() != nil {
			return b.Err()
		}
	}
	return nil
}
