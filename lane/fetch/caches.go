package fetch

import "path"

// CachesDir is where the caches lie in fetch boxes and in test boxes.
const CachesDir = "/fetched"

// A Cache is a folder that crosses the cut, and how clients are told to use it.
type Cache struct {
	Name string // below CachesDir
	For  string // whose it is
	// Both, Fetch and Test are variables ("K=V") of both phases, of the first, and of the second where the cache was filled.
	Both, Fetch, Test []string
}

// At is the folder in the box.
func (c Cache) At() string { return path.Join(CachesDir, c.Name) }

// Caches lists what crosses the cut, besides the node_modules beside a package.json.
func Caches() []Cache {
	return []Cache{
		{Name: "go-mod", For: "Go", Both: []string{"GOMODCACHE=/fetched/go-mod"},
			Fetch: []string{"GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GOSUMDB=off", "GOVCS=*:off", "CGO_ENABLED=0"}},
		{Name: "npm", For: "npm", Both: []string{"npm_config_cache=/fetched/npm"}, Test: []string{"npm_config_offline=true"},
			Fetch: []string{"npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_logs_max=0",
				"npm_config_fetch_retry_mintimeout=1000", "npm_config_fetch_retry_maxtimeout=5000", "NODE_USE_ENV_PROXY=1"}},
		// pnpm reads npm's variables up to its version 10, and its own from 11 on.
		{Name: "pnpm", For: "pnpm", Both: []string{"npm_config_store_dir=/fetched/pnpm", "pnpm_config_store_dir=/fetched/pnpm"}, Fetch: []string{"pnpm_config_ignore_scripts=true"}},
		{Name: "yarn", For: "yarn", Both: []string{"YARN_CACHE_FOLDER=/fetched/yarn"}, Fetch: []string{"YARN_ENABLE_SCRIPTS=false", "YARN_IGNORE_SCRIPTS=true"}},
		{Name: "pip", For: "pip", Both: []string{"PIP_CACHE_DIR=/fetched/pip"},
			Fetch: []string{"PIP_ONLY_BINARY=:all:", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_PROGRESS_BAR=off"}},
		{Name: "wheels", For: "pip download --dest /fetched/wheels", Test: []string{"PIP_FIND_LINKS=/fetched/wheels", "PIP_NO_INDEX=1"}},
		{Name: "python", For: "pip install --target /fetched/python", Test: []string{"PYTHONPATH=/fetched/python"}},
		{Name: "uv", For: "uv", Both: []string{"UV_CACHE_DIR=/fetched/uv"}, Fetch: []string{"UV_NO_BUILD=1"}, Test: []string{"UV_OFFLINE=1"}},
		{Name: "cargo", For: "Cargo", Both: []string{"CARGO_HOME=/fetched/cargo"}, Test: []string{"CARGO_NET_OFFLINE=true"}},
		// Installing a gem may build its extensions, which runs its code: that is for the task's command, which also compares with the lock.
		{Name: "gems", For: "bundle cache", Both: []string{"BUNDLE_CACHE_PATH=/fetched/gems"}, Fetch: []string{"BUNDLE_FROZEN=true", "BUNDLE_NO_INSTALL=true"}, Test: []string{"BUNDLE_PATH=/tmp/bundle"}},
	}
}

// network tells the programs of a fetch box where the way out is and whom to trust there.
func network() (env []string) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		env = append(env, name+"=http://"+ProxyAddress)
	}
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"} {
		env = append(env, name+"="+authoritiesAt)
	}
	return append(env, "NO_PROXY=", "no_proxy=")
}
