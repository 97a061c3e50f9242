func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4xcomplex<f32>>, %s: tensor<f32>, %n: tensor<1xi64>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> // want "^warning: stablehlo.dot is deprecated since StableHLO 1.0, and to be removed: write stablehlo.dot_general .deprecated-op.$" fix "^none$"
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.broadcast %s, sizes = [4] : (tensor<f32>) -> tensor<4xf32> // want "write stablehlo.broadcast_in_dim"
  %3 = "stablehlo.cross-replica-sum"(%s) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<f32>) -> tensor<f32> // want "write stablehlo.all_reduce with an addition"
  %4 = stablehlo.compare EQ, %c, %c : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1> // want "^note: a comparison of complex numbers is deprecated since StableHLO 1.0, and may be removed: write comparisons of stablehlo.real and stablehlo.imag"
  %5 = stablehlo.compare EQ, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %6 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32> // want "^note: stablehlo.rng .*: write stablehlo.rng_bit_generator" "dynamic-shape"
  %7 = stablehlo.tuple %s : tuple<tensor<f32>> // want "^note: stablehlo.tuple "
  return
}
