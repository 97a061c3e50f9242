func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = func.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, called_computations = [@computes]} : (tensor<4xf32>) -> tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<f32>
}
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> attributes {derivative = "@in_a_string", of = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} {
  return %x : tensor<4xf32>
}
func.func private @computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @in_a_string(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> { // want "^warning: the private function @unused is not used: remove it .unused-function.$" fix "^erase$"
  %0 = func.call @by_unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @by_unused(%x: tensor<4xf32>) -> tensor<4xf32> { // want "@by_unused is not used" fix "^none$"
  return %x : tensor<4xf32>
}
func.func private @mesh()
