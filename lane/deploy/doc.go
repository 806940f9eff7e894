// Package deploy rehearses a deployment: it sends the objects of manifests to a real Kubernetes API server and records what the server said
// of each. Objects go as server-side apply and as strict create, both with dry run, so that nothing of them is stored. To a disposable server,
// and to no other, the namespaces and custom resource definitions that other objects need are applied for real.
//
// Manifests are hostile input: every file, document and object is bounded. The server and the credential are the caller's. The package
// knows no spec, opens no box and judges nothing.
package deploy
