package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// SetDebug turns the library's debug output on standard error on or off, for all its
// contexts. With types, only the named parts print, for example "greedy-rewriter". A
// library that was built without assertions has little or no debug output. SetDebug must
// not be called while contexts of the library are in use.
func (l *Library) SetDebug(on bool, types ...string) error {
	needs := []string{"mlirEnableGlobalDebug"}
	if len(types) > 0 {
		needs = append(needs, "mlirSetGlobalDebugTypes")
	}
	if err := l.need(needs...); err != nil {
		return err
	}
	if len(types) > 0 {
		capi.SetDebugTypes(l.api, types)
	}
	capi.MlirEnableGlobalDebug(l.api, on)
	return nil
}

// Debug reports whether SetDebug turned the debug output on.
func (l *Library) Debug() bool {
	return l.Has("mlirIsGlobalDebugEnabled") && capi.MlirIsGlobalDebugEnabled(l.api)
}
