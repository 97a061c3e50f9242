package callbacks

import (
	"fmt"
	"maps"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// An UnknownError reports that a module calls a callback that is not registered.
type UnknownError struct {
	Callback string  // the name, or "id N"
	Registry string  // the registry's name, "" for the default one
	Missing  string  // "registry", "callback", or "function" if the name is only declared
	IDState  IDState // why the id is unknown; "" for a name
	Nearest  string  // the most similar registered name, "" if there is none
}

func (e *UnknownError) Error() string {
	where := "the default registry"
	if e.Registry != "" {
		where = fmt.Sprintf("the registry %q", e.Registry)
	}
	switch {
	case e.Missing == "registry":
		return fmt.Sprintf("callbacks: there is no registry %q, which the module names for callback %q: make it with NewRegistry before the module is compiled", e.Registry, e.Callback)
	case e.Missing == "function":
		return fmt.Sprintf("callbacks: callback %q is only declared in %s, and the run has no function for it: give one by With", e.Callback, where)
	case e.IDState == IDUnregistered:
		return fmt.Sprintf("callbacks: callback %q of %s was unregistered: unregister it only when every executable that calls it is closed", e.Callback, where)
	case e.IDState == IDInAnotherRegistry:
		return fmt.Sprintf("callbacks: callback %q is not in %s but in another one: name that registry in the module",
			e.Callback, where)
	case e.IDState == IDNeverReturned:
		return fmt.Sprintf("callbacks: callback %q was never returned by %s of this process: ids are valid in one process only, so bind callbacks of saved modules by name", e.Callback, where)
	}
	return fmt.Sprintf("callbacks: callback %q is not registered in %s%s: register it before the module is compiled, and until its executable is closed", e.Callback, where, nearest.Hint(e.Nearest))
}

// unknown returns the error for a callback that is not found. The caller holds the lock.
func (r *Registry) unknown(config contract.Config) error {
	e := &UnknownError{Callback: config.Name(), Registry: r.name, Missing: "callback"}
	if !config.ByName() {
		e.IDState = r.idStateOf(config.ID)
		return e
	}
	e.Nearest = nearest.Name(config.Callback, maps.Keys(r.byName))
	return e
}
