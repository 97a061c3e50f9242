package embed

/*
#include "api.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

//export calliopeRegisterLegacy
func calliopeRegisterLegacy(
	target *C.char, function unsafe.Pointer, form C.calliope_legacy_form,
) C.calliope_status {
	const what = "calliope_register_legacy"
	return protect(func() error {
		key, err := textOf(what+": the target", target)
		if err != nil {
			return err
		}
		switch {
		case key == "":
			return invalid("%s: the target is NULL or empty: pass the name that modules call", what)
		case function == nil:
			return invalid("%s: the function is NULL", what)
		case int32(form) < C.CALLIOPE_LEGACY_HOST || form > C.CALLIOPE_LEGACY_GPU_STATUS:
			return invalid("%s: there is no form %d: it must be CALLIOPE_LEGACY_HOST, CALLIOPE_LEGACY_HOST_STATUS, CALLIOPE_LEGACY_HOST_OPAQUE, CALLIOPE_LEGACY_GPU or CALLIOPE_LEGACY_GPU_STATUS", what, int32(form))
		}
		f, err := legacy.Pointer(function, legacy.Form(form))
		if err != nil {
			return err
		}
		r, err := registryOf(passes.LegacyRegistry)
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		return taken(r, what, key, f.Register(r.Registry, key, callbacks.Options{}))
	})
}

//export calliopeReplaceLegacy
func calliopeReplaceLegacy(library C.int64_t, context, module unsafe.Pointer) C.calliope_status {
	const what = "calliope_replace_legacy"
	return inModule(what, library, context, module, func(m *mlir.Module) error {
		var left strings.Builder
		for op := range m.Operation().All() {
			if call, ok := passes.AsLegacyCall(op); ok && call.Unsupported != nil {
				fmt.Fprintf(&left, "\n  %s: the call of %q: %v", call.Location.Position(), call.Target,
					call.Unsupported)
			}
		}
		if left.Len() > 0 {
			return refusal("%s: these calls cannot be replaced:%s", what, &left)
		}
		_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
		return err
	})
}
