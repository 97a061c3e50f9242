// Package experimental is the folder of packages that may change in any release, without notice. It has nothing itself.
package experimental
