package process

import (
	"slices"
	"strings"
)

// Keep returns the variables of environ (as from os.Environ) whose names are
// given, in the order of environ.
func Keep(environ []string, names ...string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(names, name) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// Without returns environ less the variables whose names are given.
func Without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}

// Network lists the variables by which a machine tells its programs how to
// reach the network: proxies and certificates.
func Network() []string {
	return []string{
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
	}
}
