package command

var Run = run
