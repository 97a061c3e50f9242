func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.custom_call @first(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<0xi8>
  %b = stablehlo.custom_call @second(%a) {api_version = 4 : i32, has_side_effect = true} : (tensor<0xi8>) -> tensor<0xi8> // bad
  return %x : tensor<4xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.custom_call @first(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<1xi8>
  %b = stablehlo.custom_call @second(%a) {api_version = 4 : i32, has_side_effect = true} : (tensor<1xi8>) -> tensor<1xi8>
  return %x : tensor<4xf32>
}
