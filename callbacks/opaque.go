package callbacks

import (
	"errors"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
)

// Opaque is an id that another host made, for modules that it built: bytes that only it
// can read. Server is what the module names as the one who answers; empty stands for
// any.
type Opaque struct{ ID, Server string }

// opaques are the numbers under which opaque ids are registered in Default.
var opaques = struct {
	sync.RWMutex
	ids map[Opaque]int64
}{ids: map[Opaque]int64{}}

// opaqueKey is the key of a function that is bound to an opaque id.
type opaqueKey struct {
	id  Opaque
	key any // the user's own
}

// RegisterOpaque binds a function to an opaque id, in the whole process: such modules
// name no registry. The function is called with what the module's call has beside the
// id and the server.
func RegisterOpaque(o Opaque, fn Func, options Options) error {
	if o.ID == "" {
		return errors.New("callbacks: an opaque id needs bytes")
	}
	opaques.Lock()
	defer opaques.Unlock()
	if _, taken := opaques.ids[o]; taken {
		return fmt.Errorf("callbacks: %s is registered already: ReleaseOpaque it first", o.config().Name())
	}
	// Released alone, also where the function is bound to another id as well.
	options.Key = opaqueKey{o, options.Key}
	id, err := Default.RegisterFunc(fn, options)
	if err != nil {
		return err
	}
	opaques.ids[o] = id
	return nil
}

// ReleaseOpaque releases an opaque id, as Registry.Release does one of ours.
func ReleaseOpaque(o Opaque) error {
	opaques.Lock()
	defer opaques.Unlock()
	id, ok := opaques.ids[o]
	if !ok {
		return &UnknownError{Callback: o.config().Name(), Missing: "callback"}
	}
	delete(opaques.ids, o)
	return Default.Release(id)
}

// ResolveOpaque finds the callback that the opaque id of a module means: the one of its
// server, or else the one for any. Where there is none it is an UnknownError.
func ResolveOpaque(config contract.Config) (*Slot, error) { return counted(ProbeOpaque(config)) }

// ProbeOpaque is to ResolveOpaque what Probe is to Resolve.
func ProbeOpaque(config contract.Config) (*Slot, error) {
	o := Opaque{config.Opaque, config.Server}
	opaques.RLock()
	id, ok := opaques.ids[o]
	if !ok {
		id, ok = opaques.ids[Opaque{ID: o.ID}]
	}
	opaques.RUnlock()
	if !ok {
		return nil, &UnknownError{Callback: config.Name(), Missing: "callback"}
	}
	return Default.probe(contract.Config{Form: config.Form, ID: id})
}

// HasOpaque reports whether the id is bound for any server at all.
func HasOpaque(id string) bool {
	opaques.RLock()
	defer opaques.RUnlock()
	for o := range opaques.ids {
		if o.ID == id {
			return true
		}
	}
	return false
}

func (o Opaque) config() contract.Config { return contract.Config{Opaque: o.ID, Server: o.Server} }
