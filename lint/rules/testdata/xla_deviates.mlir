func.func @main(%x: tensor<64xi1>, %y: tensor<i32>, %n: tensor<i32>, %f: tensor<4xf32>, %d: tensor<f64>, %c: tensor<4xcomplex<f32>>) -> (tensor<i64>, tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.bitcast_convert %x : (tensor<64xi1>) -> tensor<i64> // want "^warning: XLA cannot compile a bitcast_convert of tensor<64xi1> to tensor<i64>: .* .xla-deviates.$" fix "^none$"
  %1 = stablehlo.power %y, %n : tensor<i32> // want "XLA reads only the low six bits of the exponent of an integer: a program that .*" fix "^prepare$"
  %two = stablehlo.constant dense<2> : tensor<i32>
  %2 = stablehlo.power %1, %two : tensor<i32>
  // Exponents whose six bits are all.
  %some = stablehlo.constant dense<[0, 1, 63, 5]> : tensor<4xui64>
  %some0 = stablehlo.power %some, %some : tensor<4xui64>
  %clamped = stablehlo.clamp %zero, %n, %two : tensor<i32>
  %some1 = stablehlo.power %y, %clamped : tensor<i32>
  %more = stablehlo.constant dense<[0, 1, 64, 5]> : tensor<4xi64>
  %some2 = stablehlo.power %more, %more : tensor<4xi64> // want "XLA reads only the low six bits"
  %3 = stablehlo.while(%i = %zero) : tensor<i32> cond { // want "XLA knows how often the loop runs, and does not evaluate its condition: the calls in it are lost"
    stablehlo.custom_call @f() {api_version = 4 : i32, has_side_effect = true} : () -> ()
    %4 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }
  %6 = stablehlo.while(%i = %y) : tensor<i32> cond { // it begins with what XLA does not know
    stablehlo.custom_call @f() {api_version = 4 : i32, has_side_effect = true} : () -> ()
    %7 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  } do {
    %8 = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %8 : tensor<i32>
  }
  // What is a number of f32 is not rounded twice.
  %three = arith.constant dense<3.0> : tensor<1xf64>
  %three0 = stablehlo.convert %three : (tensor<1xf64>) -> tensor<1xbf16>
  %third = stablehlo.constant dense<0.3333333333333333> : tensor<f64>
  %third0 = stablehlo.convert %third : (tensor<f64>) -> tensor<f16> // want "XLA rounds the numbers to f32 first"
  %six = stablehlo.constant dense<6.0> : tensor<f64>
  %six0 = func.call @exact(%six) : (tensor<f64>) -> tensor<f16>
  %six1 = func.call @exact(%six) : (tensor<f64>) -> tensor<f16>
  %six2 = func.call @inexact(%six) : (tensor<f64>) -> tensor<f16>
  %six3 = func.call @inexact(%third) : (tensor<f64>) -> tensor<f16>
  // An initial value that is lost, and two that a body of more operations, or of complex numbers, likely leaves as it is.
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %origin = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %lost = "stablehlo.reduce_window"(%f, %half) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({ // want "XLA loses the initial value"
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %10 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %least = "stablehlo.reduce_window"(%f, %start) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %10 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %11 = stablehlo.select %10, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %11 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %sums = "stablehlo.reduce_window"(%c, %origin) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %10 = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %10 : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %null = stablehlo.constant dense<0.0> : tensor<f32>
  %9 = stablehlo.reduce(%f init: %null) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %10 = stablehlo.custom_call @f(%a) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32> // want "the custom call @f is in the body of a stablehlo.reduce, where XLA cannot make it" fix "^none$"
    %11 = stablehlo.add %10, %b : tensor<f32>
    stablehlo.return %11 : tensor<f32>
  }
  return %0, %2, %9 : tensor<i64>, tensor<i32>, tensor<f32>
}
func.func private @exact(%x: tensor<f64>) -> tensor<f16> {
  %0 = stablehlo.convert %x : (tensor<f64>) -> tensor<f16>
  return %0 : tensor<f16>
}
func.func private @inexact(%x: tensor<f64>) -> tensor<f16> {
  %0 = stablehlo.convert %x : (tensor<f64>) -> tensor<f16> // want "XLA rounds the numbers to f32 first"
  return %0 : tensor<f16>
}
