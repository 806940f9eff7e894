package publish

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Place is somewhere that verdicts are published to.
type Place interface {
	// Put adds items that are not there yet, and says how many those were. With dry it writes nothing.
	Put(ctx context.Context, items []Item, dry bool) (added int, err error)
	// Get finds the items about a tree of git and a commit; each may be "". foreign counts entries that are no signed verdicts.
	Get(ctx context.Context, tree, commit string) (items []Item, foreign int, err error)
	// String names the place for people.
	String() string
}

// Options say what a place is opened with.
type Options struct {
	// Repo is the folder of the git repository that refs and notes are in.
	Repo string
	// Patience bounds how long a write waits for the lock of a ref; 0 is ten seconds.
	Patience time.Duration
	// DockerConfig is a config.json of docker's, for the passwords of registries; "" is none.
	DockerConfig string
	// Token is sent to a webhook as a bearer token; "" is none.
	Token string
}

// Open finds the place that a name stands for: "refs" (refs/lane/verdicts), "notes" (refs/notes/lane), oci://HOST/NAME, a URL of a webhook, or a folder.
// Nothing is made yet.
func Open(name string, o Options) (Place, error) {
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	switch {
	case name == "":
		return nil, fmt.Errorf("open the place of verdicts: it has no name; use refs, notes, a folder, oci://HOST/NAME or the URL of a webhook")
	case name == "refs":
		return &gitRef{o.Repo, o.Patience}, nil
	case name == "notes":
		return &gitNotes{o.Repo, o.Patience}, nil
	case strings.HasPrefix(name, "oci://"):
		return openRegistry(strings.TrimPrefix(name, "oci://"), o.DockerConfig)
	case strings.Contains(name, "://"):
		u, err := url.Parse(name)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("open the place of verdicts: %q is no URL of a webhook; use https://HOST/PATH, or oci://HOST/NAME for a registry", name)
		}
		if u.User != nil {
			return nil, fmt.Errorf("open the place of verdicts: a URL cannot hold a password: it would be written into logs; set LANE_WEBHOOK_TOKEN")
		}
		return &webhook{url: u, token: o.Token}, nil
	}
	return &folder{dir: name}, nil
}
