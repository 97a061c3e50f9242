func.func @main(%x: tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN> {
  %0 = stablehlo.add %x, %x : tensor<3xf8E4M3FN>
  %1 = stablehlo.add %0, %x : tensor<3xf8E4M3FN>
  %2 = stablehlo.add %1, %x : tensor<3xf8E4M3FN>
  %3 = stablehlo.add %2, %x : tensor<3xf8E4M3FN>
  %4 = stablehlo.add %3, %x : tensor<3xf8E4M3FN>
  %5 = stablehlo.add %4, %x : tensor<3xf8E4M3FN>
  %6 = stablehlo.add %5, %x : tensor<3xf8E4M3FN>
  %7 = stablehlo.add %6, %x : tensor<3xf8E4M3FN>
  %8 = stablehlo.add %7, %x : tensor<3xf8E4M3FN>
  %9 = stablehlo.add %8, %x : tensor<3xf8E4M3FN>
  %10 = stablehlo.add %9, %x : tensor<3xf8E4M3FN>
  %11 = stablehlo.add %10, %x : tensor<3xf8E4M3FN>
  %12 = stablehlo.add %11, %x : tensor<3xf8E4M3FN>
  %13 = stablehlo.add %12, %x : tensor<3xf8E4M3FN>
  %r = stablehlo.maximum %x, %13 : tensor<3xf8E4M3FN>
  return %r : tensor<3xf8E4M3FN>
}
