package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/vallane/lane/assurance/attest"
)

// The types of what lies in a registry: an artifact with one layer, the envelope, as tools for in-toto write them.
const (
	artifactType = "application/vnd.in-toto+json"
	envelopeType = "application/vnd.dsse.envelope.v1+json"
	// digestDigits is how much of a verdict's digest is in a tag: with a tree of 64 digits it fills the 128 that a tag may have.
	digestDigits = 63
)

// registry keeps verdicts as artifacts in a repository of an OCI registry, tagged by tree and digest: TREE.DIGEST.
type registry struct {
	name string // HOST/NAME
	repo *remote.Repository
}

// openRegistry prepares for a repository. dockerConfig is a config.json of docker's with passwords in it; helpers that it names are not run.
func openRegistry(name, dockerConfig string) (*registry, error) {
	repo, err := remote.NewRepository(name)
	if err != nil || repo.Reference.Reference != "" {
		return nil, fmt.Errorf("open the place of verdicts: oci://%s is no repository of a registry; use oci://HOST/NAME, without a tag", name)
	}
	host, _, err := net.SplitHostPort(repo.Reference.Registry)
	if err != nil {
		host = repo.Reference.Registry
	}
	ip := net.ParseIP(host)
	repo.PlainHTTP = host == "localhost" || ip != nil && ip.IsLoopback() // as docker does
	client := &auth.Client{Client: &http.Client{Timeout: 2 * time.Minute}, Cache: auth.NewCache()}
	if dockerConfig != "" {
		data, err := os.ReadFile(dockerConfig)
		if err != nil {
			return nil, fmt.Errorf("read the passwords of registries: %w", err)
		}
		store, err := credentials.NewMemoryStoreFromDockerConfig(data)
		if err != nil {
			return nil, fmt.Errorf("read the passwords of registries in %s: %w", dockerConfig, err)
		}
		client.Credential = credentials.Credential(store)
	}
	repo.Client = client
	return &registry{name, repo}, nil
}

func (r *registry) String() string { return "oci://" + r.name }

func (it Item) tag() string {
	return it.Subject.GitTree + "." + strings.TrimPrefix(it.Digest, "sha256:")[:digestDigits]
}

func (r *registry) Put(ctx context.Context, items []Item, dry bool) (added int, err error) {
	for _, it := range items {
		_, err := r.repo.Resolve(ctx, it.tag())
		if err == nil {
			continue
		}
		if !errors.Is(err, errdef.ErrNotFound) {
			return added, fmt.Errorf("publish to %s: %w", r, err)
		}
		if !dry {
			if err := r.push(ctx, it); err != nil {
				return added, fmt.Errorf("publish to %s: %w", r, err)
			}
		}
		added++
	}
	return added, nil
}

func (r *registry) push(ctx context.Context, it Item) error {
	layer, err := oras.PushBytes(ctx, r.repo, envelopeType, it.Line)
	if err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
		return err
	}
	made := it.Finished
	if made == "" {
		made = "1970-01-01T00:00:00Z" // the same artifact each time
	}
	manifest, err := oras.PackManifest(ctx, r.repo, oras.PackManifestVersion1_1, artifactType, oras.PackManifestOptions{
		Layers: []ocispec.Descriptor{layer},
		ManifestAnnotations: map[string]string{
			ocispec.AnnotationCreated: made, ocispec.AnnotationRevision: it.Subject.Commit, "in-toto.io/predicate-type": attest.VerdictType,
		},
	})
	if err != nil {
		return err
	}
	return r.repo.Tag(ctx, manifest, it.tag())
}

func (r *registry) Get(ctx context.Context, tree, commit string) (items []Item, foreign int, err error) {
	err = r.repo.Tags(ctx, "", func(tags []string) error {
		for _, tag := range tags {
			of, _, ours := strings.Cut(tag, ".")
			switch {
			case !ours || !isHex(of):
				foreign++
				continue
			case tree != "" && of != tree:
				continue
			}
			it, err := r.fetch(ctx, tag)
			if err != nil {
				return err
			}
			if it == nil {
				foreign++
			} else if it.about(tree, commit) {
				items = append(items, *it)
			}
		}
		return nil
	})
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, 0, nil // nobody has put anything there yet
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read verdicts of %s: %w", r, err)
	}
	return items, foreign, nil
}

// fetch reads the envelope of a tag; nil where it is something else.
func (r *registry) fetch(ctx context.Context, tag string) (*Item, error) {
	_, manifest, err := oras.FetchBytes(ctx, r.repo, tag, oras.DefaultFetchBytesOptions)
	if err != nil {
		return nil, err
	}
	layer, ok := onlyLayer(manifest)
	if !ok || layer.MediaType != envelopeType || layer.Size > largestEntry {
		return nil, nil
	}
	body, err := r.repo.Fetch(ctx, layer)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, layer.Size))
	if err != nil {
		return nil, err
	}
	it, err := Parse(bytes.TrimSpace(data))
	if err != nil {
		return nil, nil
	}
	return &it, nil
}

// onlyLayer is the layer of a manifest that has one.
func onlyLayer(manifest []byte) (ocispec.Descriptor, bool) {
	var m ocispec.Manifest
	if json.Unmarshal(manifest, &m) != nil || len(m.Layers) != 1 {
		return ocispec.Descriptor{}, false
	}
	return m.Layers[0], true
}
