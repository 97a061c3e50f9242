// Package experimental is the folder of packages that may change in any release, also in one that changes nothing else.
// Nothing outside of it refers to them, except for the code of this module.
package experimental
