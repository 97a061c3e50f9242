package builder

// Print shows the values of a tree when the program runs. It is a Tap whose callback has
// the name "print" unless cb names another. The program that runs the module must register
// a function that prints, for example callbacks.Print.
func Print[T any](args T, cb Callback) {
	if cb.Name == "" && cb.ID == 0 && cb.Host.Opaque == "" {
		cb.Name = "print"
	}
	Tap(args, cb)
}
