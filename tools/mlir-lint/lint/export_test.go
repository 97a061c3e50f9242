package lint

var Run = run

var Validate = validate
