// Package gate decides whether a verdict is good enough for somebody who does not trust it.
//
// [Check] reads the bytes of a verdict strictly, judges its evidence again, and takes the lower result. It
// fails closed: what it does not understand, it refuses. It works offline and looks at no clock; the reader's
// time comes in with [Options].
//
// A signature is verified before anything in the envelope is read. A bare verdict passes only where Options.AllowUnsigned says so.
//
// Where the reader has a contract, the verdict is compared with that, too: digest, nonce, time, and all that the contract says.
//
// The package may use the standard library, package assurance and assurance/attest only, and does no I/O.
package gate
