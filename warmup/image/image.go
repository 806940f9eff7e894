package image

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Image is what an image holds and how it is run.
type Image struct {
	Name         string // as in "lane:1.0", for those who load it
	Architecture string // as Go has it: "amd64"
	Paths        []Path // in layers of their own
	Files        []File // in the last layer
	Entrypoint   []string
	Env          []string // "K=V"
	WorkingDir   string
}

// The parts of the OCI image specification that are written.
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int64             `json:"size"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	manifest struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Config        descriptor   `json:"config"`
		Layers        []descriptor `json:"layers"`
	}
	index struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Manifests     []descriptor `json:"manifests"`
	}
	config struct {
		Created      string    `json:"created"`
		Architecture string    `json:"architecture"`
		OS           string    `json:"os"`
		Config       runConfig `json:"config"`
		RootFS       rootFS    `json:"rootfs"`
		History      []history `json:"history"`
	}
	runConfig struct {
		Env        []string `json:"Env,omitempty"`
		Entrypoint []string `json:"Entrypoint,omitempty"`
		WorkingDir string   `json:"WorkingDir,omitempty"`
	}
	rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	history struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
	// docker is manifest.json, which `docker load` reads.
	docker struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
)

const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar"
)

// Write writes the image to w. tmp is a folder that holds its layers meanwhile: as much as the paths themselves. The result is the
// digest of its manifest, "sha256:" and hex.
//
// Layers are not compressed: who pushes an image compresses it anyway, and bytes of a compressor change with its version.
func Write(ctx context.Context, w io.Writer, img Image, tmp string) (string, error) {
	dir, err := os.MkdirTemp(tmp, "lane-image-")
	if err != nil {
		return "", fmt.Errorf("write an image: %w", err)
	}
	defer os.RemoveAll(dir)
	a := &archive{ctx: ctx, dir: dir, img: img}
	digest, err := a.write(w)
	if err != nil {
		return "", fmt.Errorf("write an image: %w", err)
	}
	return digest, nil
}

type archive struct {
	ctx    context.Context
	dir    string
	img    Image
	layers []blob
	blobs  []blob // all that the archive holds, layers first
}

func (a *archive) write(w io.Writer) (string, error) {
	history, err := a.makeLayers()
	if err != nil {
		return "", err
	}
	conf, err := a.add(a.config(history))
	if err != nil {
		return "", err
	}
	m := manifest{SchemaVersion: 2, MediaType: typeManifest, Config: conf.as(typeConfig)}
	d := docker{Config: conf.name(), RepoTags: []string{a.img.Name}}
	for _, l := range a.layers {
		m.Layers = append(m.Layers, l.as(typeLayer))
		d.Layers = append(d.Layers, l.name())
	}
	man, err := a.add(m)
	if err != nil {
		return "", err
	}
	top := man.as(typeManifest)
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": a.img.Name, "io.containerd.image.name": "docker.io/library/" + a.img.Name}
	t := tar.NewWriter(w)
	for _, f := range []struct {
		name string
		v    any
	}{
		{"oci-layout", map[string]string{"imageLayoutVersion": "1.0.0"}},
		{"index.json", index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{top}}},
		{"manifest.json", []docker{d}},
	} {
		data, err := json.Marshal(f.v)
		if err != nil {
			return "", err
		}
		if err := a.put(t, f.name, int64(len(data)), func() error { _, err := t.Write(data); return err }); err != nil {
			return "", err
		}
	}
	if err := a.putBlobs(t); err != nil {
		return "", err
	}
	return top.Digest, t.Close()
}

// makeLayers writes the layers, and says of each what it is.
func (a *archive) makeLayers() (all []history, err error) {
	created := stored.Format("2006-01-02T15:04:05Z")
	one := func(what string, paths []Path, files []File) error {
		b, err := layer(a.ctx, a.dir, paths, files)
		if err != nil {
			return err
		}
		a.layers = append(a.layers, b)
		all = append(all, history{Created: created, CreatedBy: what})
		return nil
	}
	for _, paths := range spread(a.img.Paths, maxLayers) {
		what := filepath.Base(paths[0].StorePath)
		if len(paths) > 1 {
			what = fmt.Sprintf("%s and %d more store paths", what, len(paths)-1)
		}
		if err := one(what, paths, nil); err != nil {
			return nil, err
		}
	}
	if len(a.img.Files) > 0 {
		err = one("lane and what it knows of the closures", nil, a.img.Files)
	}
	a.blobs = slices.Clone(a.layers)
	return all, err
}

func (a *archive) config(h []history) config {
	c := config{
		Created: stored.Format("2006-01-02T15:04:05Z"), Architecture: a.img.Architecture, OS: "linux", History: h,
		Config: runConfig{Env: a.img.Env, Entrypoint: a.img.Entrypoint, WorkingDir: a.img.WorkingDir},
		RootFS: rootFS{Type: "layers"},
	}
	for _, l := range a.layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, "sha256:"+l.digest)
	}
	return c
}

// add makes a blob of a value.
func (a *archive) add(v any) (blob, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return blob{}, err
	}
	w, err := newBlob(a.dir)
	if err != nil {
		return blob{}, err
	}
	_, err = w.Write(data)
	b, err := w.close(err)
	a.blobs = append(a.blobs, b)
	return b, err
}

func (b blob) as(mediaType string) descriptor {
	return descriptor{MediaType: mediaType, Digest: "sha256:" + b.digest, Size: b.size}
}

func (b blob) name() string { return "blobs/sha256/" + b.digest }

func (a *archive) putBlobs(t *tar.Writer) error {
	done := map[string]bool{}
	for _, b := range a.blobs {
		if done[b.digest] {
			continue
		}
		done[b.digest] = true
		err := a.put(t, b.name(), b.size, func() error {
			f, err := os.Open(b.file)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(t, f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) put(t *tar.Writer, name string, size int64, write func() error) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, ModTime: stored, Format: tar.FormatPAX}); err != nil {
		return err
	}
	return write()
}
