func.func @main(%x: tensor<2x3xf32>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> () // bad
  return
}
// -----
func.func @main(%x: tensor<2x3xf32>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "log", form = "observe", v = 1 : i64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
  return
}
