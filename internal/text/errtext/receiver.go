package errtext

// Receiver returns the text of a panic of a method, such as "engine: Array.View", that is
// called on a nil pointer, or on a zero value instead of one that from makes.
func Receiver(method string, isNil bool, from string) string {
	if isNil {
		return method + " called on a nil pointer: check the error that was returned with it"
	}
	return method + " called on a zero value: get one from " + from
}
