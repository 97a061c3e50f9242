// Package front puts a mixed load on package calliope: functions that are made, called and closed, with closures that
// fail, panic, come late and are cancelled, on several sessions and engines. It checks that what the process holds
// stays the same.
package front
