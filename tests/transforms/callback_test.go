package transforms

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// hosted is a function of JAX that withCallbacks replaces.
var hosted = regexp.MustCompile(
	`(?s)func\.func private @(host_wave\w*)\(%arg0: (tensor<[^>]*>)\) -> \(?tensor<[^>]*>[^)]*\)? \{.*?\n  \}`)

const callToWave = `stablehlo.custom_call @calliope_runtime_call(%x) {
	api_version = 4 : i32,
	backend_config = {callback = "transforms.wave", form = "pure", jvp = "@$NAME.jvp", batch = "$METHOD", v = 3 : i64}
} : ($TYPE) -> $TYPE`

const wavesText = `func.func private @$NAME(%x: $TYPE) -> $TYPE {
	%y = ` + callToWave + `
	return %y : $TYPE
}
func.func private @$NAME.jvp(%x: $TYPE, %dx: $TYPE) -> ($TYPE, $TYPE) {
	%y = ` + callToWave + `
	%s = stablehlo.sine %x : $TYPE
	%c = stablehlo.cosine %x : $TYPE
	%p = stablehlo.multiply %c, %x : $TYPE
	%d = stablehlo.add %s, %p : $TYPE
	%dy = stablehlo.multiply %d, %dx : $TYPE
	return %y, %dy : $TYPE, $TYPE
}`

// withCallbacks returns a module whose functions with the names of host call wave. The call has a rule for its
// derivatives, in which it stands too, and the method n for batches.
func withCallbacks(module string, n int) string {
	methods := []string{"sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "parallel"}
	return hosted.ReplaceAllStringFunc(module, func(text string) string {
		match := hosted.FindStringSubmatch(text)
		with := strings.NewReplacer("$NAME", match[1], "$TYPE", match[2], "$METHOD", methods[n%len(methods)])
		return with.Replace(wavesText)
	})
}

// registerWave registers wave, once in a process.
var registerWave = sync.OnceFunc(func() {
	if err := callbacks.Default.Register("transforms.wave", wave, callbacks.Options{}); err != nil {
		panic(err)
	}
})

// wave computes x·sin x.
func wave(f *callbacks.Frame) error {
	if f.Args[0].Shape.DType == tensor.F64 {
		return waves[float64](f)
	}
	return waves[float32](f)
}

func waves[T float32 | float64](f *callbacks.Frame) error {
	x, err := tensor.Slice[T](f.Args[0])
	if err != nil {
		return err
	}
	y, err := tensor.Slice[T](f.Results[0])
	if err != nil {
		return err
	}
	for i, v := range x {
		y[i] = v * T(math.Sin(float64(v)))
	}
	return nil
}
