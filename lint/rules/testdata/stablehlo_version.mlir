// target: 1.3.0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.tan %0 : tensor<4xf32> // want "^error: stablehlo.tan needs StableHLO 1.4.0 in this form, and the target has 1.3.0: use a plugin with a later version, or change the operation .stablehlo-version.$" fix "^none$"
  return %1 : tensor<4xf32>
}
