package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// client puts a program of that name before all others, which prints the text.
func client(t *testing.T, name, prints string) {
	dir := t.TempDir()
	text := "#!/bin/sh\ncat <<'END'\n" + prints + "\nEND\n"
	if prints == "" {
		text = "#!/bin/sh\nexit 1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestRegistries(t *testing.T) {
	for _, c := range []struct{ name, client, prints, entry, allow, env string }{
		{"Go's proxy", "go", "https://mirror.example.org:8443/go,direct", "@go", "mirror.example.org:8443", "GOPROXY=https://mirror.example.org:8443/go"},
		{"npm's registry", "npm", "https://registry.example.org/npm/", "@npm", "registry.example.org:443", "npm_config_registry=https://registry.example.org/npm/ pnpm_config_registry=https://registry.example.org/npm/"},
		{"pip's index", "pip", "https://pypi.example.org/simple", "@pip", "pypi.example.org:443", "PIP_INDEX_URL=https://pypi.example.org/simple"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client(t, c.client, c.prints)
			allow, env, err := Registries(t.Context(), []string{"a.example.org:1", c.entry})
			if err != nil || strings.Join(allow, " ") != "a.example.org:1 "+c.allow || strings.Join(env, " ") != c.env {
				t.Errorf("%v, %v, %v", allow, env, err)
			}
		})
	}
	for name, prints := range map[string]string{"a password": "https://user:secret@registry.example.org/", "no TLS": "http://registry.example.org/", "a file": "file:///srv/npm", "no URL": "nonsense", "none": "undefined", "no client that answers": ""} {
		t.Run(name, func(t *testing.T) {
			client(t, "npm", prints)
			_, _, err := Registries(t.Context(), []string{"@npm"})
			var f *Failed
			if !errors.As(err, &f) || f.Hint() == "" || strings.Contains(f.Msg, "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}
