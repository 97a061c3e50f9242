// Hints about memories and processors. Alike attributes are one finding, and the memory "device"
// of a parameter or a result is none.
module {
  func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "device"}) -> (tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) { // want "^note: mhlo.memory_kind = .pinned_host. places result 0 of @main in that memory, which has no effect on CPU .placement.$"
    %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32> // want "note: annotate_device_placement places its operand in the memory .pinned_host., which has no effect on CPU"
    %1 = stablehlo.custom_call @MoveToDevice(%0) : (tensor<4xf32>) -> tensor<4xf32> // want "note: MoveToDevice places its operand in the memory .device."
    %2 = stablehlo.custom_call @MoveToHost(%1) : (tensor<4xf32>) -> tensor<4xf32> // want "note: MoveToHost places its operand in the memory .host."
    %3 = stablehlo.sine %2 {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : tensor<4xf32> // want "note: _xla_buffer_placement = .device. places the result of stablehlo.sine in that memory"
    %4 = func.call @f(%3) {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : (tensor<4xf32>) -> tensor<4xf32> // want "note: _xla_compute_type = .host. has func.call computed there, which has no effect on CPU .and 2 further operations. "
    %5 = stablehlo.custom_call @annotate_device_placement(%4) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    return %5 : tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
    %1 = stablehlo.add %0, %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
    %2 = stablehlo.cosine %1 {mhlo.frontend_attributes = {_xla_stream_annotation = "1", inlineable = "false"}} : tensor<4xf32> // want "note: _xla_stream_annotation = .1. has stablehlo.cosine computed on that stream, which has no effect on CPU .placement.$"
    return %2 : tensor<4xf32>
  }
}
