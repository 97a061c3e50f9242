package embed

/*
#include "api.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

//export calliopeRegister
func calliopeRegister(
	name *C.char, fn C.calliope_function, user C.uintptr_t, options *C.calliope_options,
) C.calliope_status {
	return protect(func() error {
		if name == nil || *name == 0 {
			return invalid("calliope_register: the name is NULL or empty; calliope_register_id registers without a name")
		}
		f, o, err := newFunction("calliope_register", fn, user, options)
		if err != nil {
			return err
		}
		r, err := registryOf(registryName(options))
		if err != nil {
			return err
		}
		key, err := textOf("calliope_register: the name", name)
		if err != nil {
			return err
		}
		return r.add(f, func() error {
			return taken(r, "calliope_register", key, r.Register(key, f.call, o))
		}, func() { r.names[key] = f })
	})
}

// taken returns the error of registering a name in a registry, which says so if the name is taken.
func taken(r *registry, what, name string, err error) error {
	if err == nil || !r.has(name) {
		return err
	}
	return &statusError{C.CALLIOPE_ALREADY_EXISTS, fmt.Errorf("calliope: %s: the callback %q is registered already: remove it by calliope_unregister first", what, name)}
}

//export calliopeRegisterID
func calliopeRegisterID(
	fn C.calliope_function, user C.uintptr_t, options *C.calliope_options, id *C.int64_t,
) C.calliope_status {
	return protect(func() error {
		if id == nil {
			return invalid("calliope_register_id: id is NULL")
		}
		f, o, err := newFunction("calliope_register_id", fn, user, options)
		if err != nil {
			return err
		}
		r, err := registryOf(registryName(options))
		if err != nil {
			return err
		}
		// Each registration is a callback of its own, also of the same function.
		o.Key = f
		var number int64
		return r.add(f, func() (err error) {
			number, err = r.RegisterFunc(f.call, o)
			return err
		}, func() {
			r.ids[number] = f
			*id = C.int64_t(number)
		})
	})
}

//export calliopeUnregister
func calliopeUnregister(registry, name *C.char) C.calliope_status {
	return protect(func() error {
		if name == nil || *name == 0 {
			return invalid("calliope_unregister: the name is NULL or empty; calliope_unregister_id removes a callback without a name")
		}
		r, err := registryOf(text(registry))
		if err != nil {
			return err
		}
		key := C.GoString(name)
		return r.remove(func() error {
			if err := r.Unregister(key); err != nil {
				hint := ""
				if unknown := new(callbacks.UnknownError); errors.As(err, &unknown) && unknown.Nearest != "" {
					hint = fmt.Sprintf(" (is it %q?)", unknown.Nearest)
				}
				return notFound("calliope_unregister: no callback %q is registered in %s%s", key, r, hint)
			}
			return nil
		}, func() *function {
			f := r.names[key]
			delete(r.names, key)
			return f
		})
	})
}

//export calliopeUnregisterID
func calliopeUnregisterID(registry *C.char, id C.int64_t) C.calliope_status {
	return protect(func() error {
		r, err := registryOf(text(registry))
		if err != nil {
			return err
		}
		return r.remove(func() error {
			if err := r.UnregisterID(int64(id)); err != nil {
				return notFound("calliope_unregister_id: no callback is registered with the id %d in %s", id, r)
			}
			return nil
		}, func() *function {
			f := r.ids[int64(id)]
			delete(r.ids, int64(id))
			return f
		})
	})
}

//export calliopeBarrier
func calliopeBarrier(name *C.char, timeout C.int64_t) C.calliope_status {
	return protect(func() error {
		ctx := context.Background()
		if timeout < 0 {
			return invalid("calliope_barrier: the timeout is %d ns; it must not be negative", timeout)
		}
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(timeout))
			defer cancel()
		}
		err := callbacks.Barrier(ctx, text(name))
		if taps := new(callbacks.TapErrors); errors.As(err, &taps) {
			return &statusError{C.CALLIOPE_INTERNAL, err}
		}
		return err
	})
}

//export calliopeStats
func calliopeStats(out **C.char) C.calliope_status {
	return protect(func() error {
		if out == nil {
			return invalid("calliope_stats: json is NULL")
		}
		stats := callbacks.Stats()
		if stats == nil {
			stats = []callbacks.Stat{}
		}
		data, err := json.Marshal(stats)
		if err != nil {
			return err
		}
		store(unsafe.Pointer(out), give(data))
		return nil
	})
}

func registryName(o *C.calliope_options) string {
	if o == nil {
		return ""
	}
	return text(o.registry)
}

// optionsOf reads the options of a callback, without the template.
func optionsOf(what string, in *C.calliope_options) (callbacks.Options, error) {
	var o callbacks.Options
	if in == nil {
		return o, nil
	}
	if in.struct_size != C.sizeof_calliope_options {
		return o, invalid(what+": options.struct_size is %d: set it to sizeof(calliope_options), which is %d",
			in.struct_size, C.sizeof_calliope_options)
	}
	if d := int32(in.dispatch); d < C.CALLIOPE_INLINE || d > C.CALLIOPE_DEFERRED {
		return o, invalid(what+": options.dispatch is %d: it must be CALLIOPE_INLINE, CALLIOPE_GOROUTINE, CALLIOPE_ASYNC or CALLIOPE_DEFERRED", d)
	}
	if in.timeout_ns < 0 {
		return o, invalid(what+": options.timeout_ns is %d: it must not be negative", in.timeout_ns)
	}
	if in.per_second < 0 {
		return o, invalid(what+": options.per_second is %d: it must not be negative", in.per_second)
	}
	if in.dispatch == C.CALLIOPE_ASYNC && in.fail_run != 0 {
		return o, invalid(what + ": a callback with CALLIOPE_ASYNC cannot fail its run, which does not wait for it: choose another dispatch, or leave out fail_run")
	}
	if in.keep_errors != 0 && in.fail_run != 0 {
		return o, invalid(what + ": options has keep_errors and fail_run, which exclude each other: set one of them")
	}
	o.Dispatch = callbacks.Dispatch(in.dispatch)
	o.FailRun, o.KeepErrors = in.fail_run != 0, in.keep_errors != 0
	o.Timeout = time.Duration(in.timeout_ns)
	o.PerSecond = int(in.per_second)
	o.Measure = in.measure != 0
	if in.has_template == 0 && (in.num_args > 0 || in.num_results > 0) {
		return o,
			invalid(what+": options has a template of %d operands and %d results, but has_template is 0: set it to 1", in.num_args, in.num_results)
	}
	return o, nil
}

// shapesOf reads the types of a template.
func shapesOf(what, field string, types *C.calliope_type, n C.size_t) ([]tensor.Shape, error) {
	if n == 0 {
		return nil, nil
	}
	if types == nil {
		return nil, invalid(what+": options.num_%s is %d, but options.%s is NULL", field, n, field)
	}
	const most = 1 << 16
	if n > most {
		return nil, invalid(what+": options.num_%s is %d: a template has %d types at most", field, n, most)
	}
	list := make([]tensor.Shape, n)
	for i, t := range unsafe.Slice(types, n) {
		dtype, ok := dtypes[int32(t.dtype)]
		if !ok {
			return nil, invalid(what+": options.%s[%d].dtype is %d, which is no element type", field, i, int32(t.dtype))
		}
		if t.rank < 0 || t.rank > most {
			return nil, invalid(what+": options.%s[%d].rank is %d: it must be 0 to %d", field, i, t.rank, most)
		}
		if t.rank > 0 && t.dims == nil {
			return nil, invalid(what+": options.%s[%d].rank is %d, but dims is NULL", field, i, t.rank)
		}
		dims := make([]int, t.rank)
		for j, d := range unsafe.Slice(t.dims, t.rank) {
			if d < 0 {
				return nil,
					invalid(what+": options.%s[%d].dims[%d] is %d: a dimension must not be negative", field, i, j, d)
			}
			dims[j] = int(d)
		}
		list[i] = tensor.ShapeOf(dtype, dims...)
	}
	return list, nil
}
