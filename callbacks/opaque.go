package callbacks

import (
	"errors"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
)

// An OpaqueID is an id made by another host, for modules that it built. The bytes of ID are
// meaningful only to that host. Server is the server that the module names; empty matches
// any.
type OpaqueID struct{ ID, Server string }

// opaques maps opaque ids to their ids in Default.
var opaques = struct {
	sync.RWMutex
	ids map[OpaqueID]int64
}{ids: map[OpaqueID]int64{}}

// opaqueKey is the key of a function that is bound to an opaque id.
type opaqueKey struct {
	id  OpaqueID
	key any // the user's Options.Key
}

// RegisterOpaque binds a function to an opaque id for the whole process, because such
// modules name no registry. The function receives the module's call without the id and the
// server.
func RegisterOpaque(o OpaqueID, fn Func, options Options) error {
	if o.ID == "" {
		return errors.New("callbacks: the opaque id is empty: give its bytes")
	}
	opaques.Lock()
	defer opaques.Unlock()
	if _, taken := opaques.ids[o]; taken {
		return fmt.Errorf("callbacks: %s is registered already: UnregisterOpaque it first", o.config().Name())
	}
	// With a key of its own, the opaque id is unregistered alone, even if the function is bound
	// to another id as well.
	options.Key = opaqueKey{o, options.Key}
	id, err := Default.RegisterFunc(fn, options)
	if err != nil {
		return err
	}
	opaques.ids[o] = id
	return nil
}

// UnregisterOpaque removes the binding of an opaque id, as Registry.UnregisterID does for
// an id of a registry.
func UnregisterOpaque(o OpaqueID) error {
	opaques.Lock()
	defer opaques.Unlock()
	id, ok := opaques.ids[o]
	if !ok {
		return &UnknownError{Callback: o.config().Name(), Missing: "callback"}
	}
	delete(opaques.ids, o)
	return Default.UnregisterID(id)
}

// opaqueID returns the id for the opaque id of a module: the one for its server, or else
// the one for any server. If there is none, it returns an UnknownError.
func opaqueID(config contract.Config) (int64, error) {
	o := OpaqueID{config.Host.Opaque, config.Host.Server}
	opaques.RLock()
	id, ok := opaques.ids[o]
	if !ok {
		id, ok = opaques.ids[OpaqueID{ID: o.ID}]
	}
	opaques.RUnlock()
	if !ok {
		return 0, &UnknownError{Callback: config.Name(), Missing: "callback"}
	}
	return id, nil
}

// hasOpaque reports whether the id is bound for any server.
func hasOpaque(id string) bool {
	opaques.RLock()
	defer opaques.RUnlock()
	for o := range opaques.ids {
		if o.ID == id {
			return true
		}
	}
	return false
}

func (o OpaqueID) config() contract.Config {
	return contract.Config{Host: contract.Host{Opaque: o.ID, Server: o.Server}}
}
