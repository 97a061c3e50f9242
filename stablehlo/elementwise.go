package stablehlo

const dialect = "stablehlo."

// elementwise holds the operations of one or two operands whose results have the operands' shape.
var elementwise = map[string]bool{
	"stablehlo.abs": true, "stablehlo.cbrt": true, "stablehlo.ceil": true, "stablehlo.cosine": true,
	"stablehlo.exponential": true, "stablehlo.exponential_minus_one": true, "stablehlo.floor": true,
	"stablehlo.log":          true,
	"stablehlo.log_plus_one": true, "stablehlo.logistic": true, "stablehlo.negate": true, "stablehlo.not": true,
	"stablehlo.round_nearest_afz": true, "stablehlo.round_nearest_even": true, "stablehlo.rsqrt": true,
	"stablehlo.sign": true,
	"stablehlo.sine": true, "stablehlo.sqrt": true, "stablehlo.tan": true, "stablehlo.tanh": true,
	"stablehlo.add": true, "stablehlo.and": true, "stablehlo.atan2": true, "stablehlo.divide": true,
	"stablehlo.maximum": true, "stablehlo.minimum": true, "stablehlo.multiply": true, "stablehlo.or": true,
	"stablehlo.power": true, "stablehlo.remainder": true, "stablehlo.shift_left": true,
	"stablehlo.shift_right_arithmetic": true,
	"stablehlo.shift_right_logical":    true, "stablehlo.subtract": true, "stablehlo.xor": true,
}
