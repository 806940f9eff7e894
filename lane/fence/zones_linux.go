//go:build amd64 || arm64

package fence

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// zoneArchive is lib/time/zoneinfo.zip of the Go distribution, unchanged: the
// IANA time zone database compiled. IANA holds the database to be in the public
// domain; the archive comes under Go's BSD licence.
//
//go:embed zoneinfo.zip
var zoneArchive []byte

// unpackZones writes the time zones to dir, which must exist.
func unpackZones(dir string, at time.Time) error {
	archive, err := zip.NewReader(bytes.NewReader(zoneArchive), int64(len(zoneArchive)))
	if err != nil {
		return fmt.Errorf("read time zones: %w", err)
	}
	made := map[string]bool{}
	for _, entry := range archive.File {
		if !filepath.IsLocal(entry.Name) || entry.FileInfo().IsDir() {
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(entry.Name))
		if parent := filepath.Dir(target); !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := unpackZone(entry, target, at); err != nil {
			return fmt.Errorf("unpack time zone %s: %w", entry.Name, err)
		}
	}
	for parent := range made {
		if err := os.Chtimes(parent, at, at); err != nil {
			return err
		}
	}
	return nil
}

func unpackZone(entry *zip.File, target string, at time.Time) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(target, data, 0o644); err != nil {
		return err
	}
	return os.Chtimes(target, at, at)
}

// cachedZones gives the folder below cache that holds the unpacked time zones,
// and makes it where it is missing. Any number of processes may do so at once:
// each unpacks aside, the first rename wins.
func cachedZones(cache string) (string, error) {
	sum := sha256.Sum256(zoneArchive)
	dir := filepath.Join(cache, "zoneinfo-"+hex.EncodeToString(sum[:6]))
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make cache folder: %w", err)
	}
	aside, err := os.MkdirTemp(cache, ".zoneinfo-*")
	if err != nil {
		return "", fmt.Errorf("make cache folder: %w", err)
	}
	defer os.RemoveAll(aside)
	if err := os.Chmod(aside, 0o755); err != nil {
		return "", err
	}
	if err := unpackZones(aside, time.Unix(315532800, 0)); err != nil {
		return "", err
	}
	err = os.Rename(aside, dir)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if st, statErr := os.Stat(dir); statErr != nil || !st.IsDir() {
			return "", fmt.Errorf("keep time zones: %w", err)
		}
	}
	return dir, nil
}

// placeZones puts the time zones into the root: the host's cached folder, or a
// copy of the box's own.
func placeZones(base string, cached int, at time.Time) error {
	dir := filepath.Join(base, "usr/share/zoneinfo")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if cached >= 0 {
		return bind(cached, dir, attrReadOnly)
	}
	return unpackZones(dir, at)
}
