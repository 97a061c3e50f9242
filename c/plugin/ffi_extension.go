package main

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
)

// An executeContext has what the caller of a run gives handlers.
type executeContext struct {
	mu   sync.Mutex
	data []ffihost.Datum
}

func (*executeContext) free() {}

// list returns the data, which do not change.
func (c *executeContext) list() []ffihost.Datum {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data[:len(c.data):len(c.data)]
}

func (c *executeContext) add(d ffihost.Datum) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.data {
		if other.Type == d.Type {
			return fmt.Errorf("%w: the context has data of the type %d already", errMistaken, d.Type)
		}
	}
	c.data = append(c.data, d)
	return nil
}

func init() {
	on(abi.ExecuteContextCreate, func(a *abi.ExecuteContextCreateArgs) error {
		a.Context = handle(&executeContext{})
		return nil
	})
	on(abi.ExecuteContextDestroy, func(a *abi.ExecuteContextDestroyArgs) error {
		return destroy[*executeContext](a.Context)
	})
	on(abi.RegisterType, func(a *abi.RegisterTypeArgs) error {
		var info struct{ size, extensions, deleter uintptr } // XLA_FFI_TypeInfo
		info.size = unsafe.Sizeof(info)
		if a.Info != 0 {
			info.deleter = a.Info.Get().Deleter
		}
		return ffihost.RegisterType(unsafe.Pointer(&a.TypeID), unsafe.Pointer(&info))
	})
	on(abi.AddUserData, func(a *abi.AddUserDataArgs) error {
		return object[*executeContext](a.Context).add(ffihost.Datum{Type: a.TypeID, Value: a.Data})
	})
	on(abi.RegisterHandler, func(a *abi.RegisterHandlerArgs) error {
		if needed := int(unsafe.Offsetof(a.Traits) + unsafe.Sizeof(a.Traits)); a.StructSize < needed {
			return fmt.Errorf("%w: Unexpected PJRT_FFI_Register_Handler_Args size: expected %d, got %d", errMistaken, needed,
				a.StructSize) // which is XLA's text, in which libraries read the size
		}
		target, platform := abi.Bytes(a.Target, a.TargetSize), abi.Bytes(a.Platform, a.PlatformSize)
		return ffihost.Register(string(target), string(platform),
			ffihost.Bundle{Execute: *(*unsafe.Pointer)(unsafe.Pointer(&a.Handler))})
	})
}
