package mlir

// keepFunctions keeps the types of a module's functions, before passes may lower them to the LLVM dialect. Its types
// say neither what an address points to nor how many elements there are. Package execution checks calls by them.
func (s *moduleState) keepFunctions(module Operation) {
	for op := range module.Region(0).First().Operations() {
		if op.Name() != "func.func" {
			continue
		}
		name, _ := op.Symbol()
		if a, ok := op.Attribute("function_type"); ok && name != "" {
			if s.functions == nil {
				s.functions = map[string]Type{}
			}
			s.functions[name], _ = a.TypeValue()
		}
	}
}

// unlowered returns the type that a function had when the last run of passes, patterns or transforms began before
// which it was one of the dialect func. It is nil if there was none.
func (m *Module) unlowered(function string) Type { return m.functions[function] }
