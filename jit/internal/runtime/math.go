package runtime

// #cgo LDFLAGS: -lm
// #include <math.h>
//
// typedef struct { const char *name; void *address; } symbol;
//
// #define IN(type, f) {#f, (void *)(type (*)(type))f}
// #define IN2(type, f) {#f, (void *)(type (*)(type, type))f}
// #define BOTH(g) IN(double, g), IN(float, g##f)
// #define BOTH2(g) IN2(double, g), IN2(float, g##f)
//
// static symbol symbols[] = {
//	BOTH(acos), BOTH(acosh), BOTH(asin), BOTH(asinh), BOTH(atan), BOTH(atanh), BOTH(cbrt), BOTH(ceil), BOTH(cos),
//	BOTH(cosh), BOTH(erf), BOTH(erfc), BOTH(exp), BOTH(exp2), BOTH(expm1), BOTH(floor), BOTH(lgamma), BOTH(log),
//	BOTH(log10), BOTH(log1p), BOTH(log2), BOTH(rint), BOTH(nearbyint), BOTH(round), BOTH(sin), BOTH(sinh), BOTH(sqrt),
//	BOTH(tan), BOTH(tanh), BOTH(tgamma), BOTH(trunc),
//	BOTH2(atan2), BOTH2(fmod), BOTH2(pow), BOTH2(fmax), BOTH2(fmin),
//	{"fma", (void *)(double (*)(double, double, double))fma},
//	{"fmaf", (void *)(float (*)(float, float, float))fmaf},
//	// The rounding mode is to nearest even, and not all C libraries have these.
//	{"roundeven", (void *)(double (*)(double))rint},
//	{"roundevenf", (void *)(float (*)(float))rintf},
// };
// static int count(void) { return sizeof symbols / sizeof symbols[0]; }
// static symbol *at(int i) { return &symbols[i]; }
import "C"

import "unsafe"

// Math returns the addresses of the functions of C's math.h by their names.
func Math() map[string]unsafe.Pointer {
	list := map[string]unsafe.Pointer{}
	for i := range C.count() {
		s := C.at(i)
		list[C.GoString(s.name)] = s.address
	}
	return list
}
