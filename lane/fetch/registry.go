package fetch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"time"
)

// A registry is what a list of allowed hosts names by a client of this machine instead of by a host.
type registry struct {
	name string   // as it stands in the list
	ask  []string // prints its URL, or URLs separated by commas
	env  []string // how the clients in the box are told
}

// pnpm reads npm's variable up to its version 10, and its own from 11 on.
var registries = []registry{
	{"@go", []string{"go", "env", "GOPROXY"}, []string{"GOPROXY"}},
	{"@npm", []string{"npm", "config", "get", "registry"}, []string{"npm_config_registry", "pnpm_config_registry"}},
	{"@pip", []string{"pip", "config", "get", "global.index-url"}, []string{"PIP_INDEX_URL"}},
}

// Registries replaces "@go", "@npm" and "@pip" in a list of allowed hosts by the host that this machine's client is configured to
// ask, and returns what the client in the box has to be told. Go and npm answer with their own default where nothing is configured;
// pip answers nothing then. An index that serves its files from another host needs that host in the list as well.
//
// The error is a *Failed where the client names no registry, or one that cannot be used from a box: without TLS, or with a password,
// which is for no box.
func Registries(ctx context.Context, list []string) (allow, env []string, err error) {
	for _, entry := range list {
		r, ok := registryOf(entry)
		if !ok {
			allow = append(allow, entry)
			continue
		}
		asked := r.url(ctx)
		u, host, err := usable(r, asked)
		if err != nil {
			return nil, nil, err
		}
		allow = append(allow, host)
		for _, name := range r.env {
			env = append(env, name+"="+u)
		}
	}
	return allow, env, nil
}

func registryOf(entry string) (registry, bool) {
	for _, r := range registries {
		if r.name == entry {
			return r, true
		}
	}
	return registry{}, false
}

// url asks the client, outside of any project; "" where there is no answer.
func (r registry) url(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.ask[0], r.ask[1:]...)
	cmd.Dir = "/" // a folder that others can write to may hold a configuration
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	if cmd.Run() != nil {
		return ""
	}
	for _, u := range strings.FieldsFunc(out.String(), func(c rune) bool { return c == ',' || c == '|' || c == '\n' }) {
		if u = strings.TrimSpace(u); u != "direct" && u != "off" && u != "" && u != "undefined" {
			return u
		}
	}
	return ""
}

// usable takes the host out of a registry's URL.
func usable(r registry, text string) (clean, host string, err error) {
	u, err := url.Parse(text)
	tip := fmt.Sprintf("configure the machine's %s with an https URL without a password, or name a host in allow instead of %s", r.ask[0], r.name)
	switch {
	case err != nil || u.Host == "":
		return "", "", &Failed{Msg: fmt.Sprintf("the registry that %s stands for has no URL that can be read", r.name), Tip: tip}
	case u.User != nil:
		return "", "", &Failed{Msg: fmt.Sprintf("the registry that %s stands for needs a password, and no box gets one", r.name), Tip: tip}
	case u.Scheme != "https":
		return "", "", &Failed{Msg: fmt.Sprintf("the registry that %s stands for, %s, is asked without TLS", r.name, u.Redacted()), Tip: tip}
	}
	return u.String(), net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443")), nil
}
