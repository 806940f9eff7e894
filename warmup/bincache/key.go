package bincache

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// PublicKey is a key whose signatures count, in Nix's notation "name:base64".
type PublicKey struct {
	Name string
	key  ed25519.PublicKey
}

// SecretKey signs what a cache says, in Nix's notation "name:base64" (nix key generate-secret).
type SecretKey struct {
	Name string
	key  ed25519.PrivateKey
}

// NewKey makes a key.
func NewKey(name string) (SecretKey, error) {
	if name == "" || strings.ContainsAny(name, ": \t\r\n") {
		return SecretKey{}, fmt.Errorf("make a key: %q is no name for it; write it like cache.example.org-1", name)
	}
	_, key, err := ed25519.GenerateKey(nil)
	return SecretKey{Name: name, key: key}, err
}

// ParsePublicKey reads a key as trusted-public-keys holds it.
func ParsePublicKey(s string) (PublicKey, error) {
	name, raw, err := parseKey(s, ed25519.PublicKeySize)
	if err != nil {
		return PublicKey{}, fmt.Errorf("read the public key %q: %w", s, err)
	}
	return PublicKey{Name: name, key: raw}, nil
}

// ParsePublicKeys reads several.
func ParsePublicKeys(all []string) ([]PublicKey, error) {
	keys := make([]PublicKey, 0, len(all))
	for _, s := range all {
		k, err := ParsePublicKey(s)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// ParseSecretKey reads a secret key. The error does not repeat it.
func ParseSecretKey(s string) (SecretKey, error) {
	name, raw, err := parseKey(s, ed25519.PrivateKeySize)
	if err != nil {
		return SecretKey{}, fmt.Errorf("read a secret key: %w", err)
	}
	k := ed25519.PrivateKey(raw)
	if !k.Equal(ed25519.NewKeyFromSeed(k.Seed())) {
		return SecretKey{}, errors.New("read a secret key: its two halves do not belong together")
	}
	return SecretKey{Name: name, key: k}, nil
}

func parseKey(s string, size int) (string, []byte, error) {
	name, text, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t\r\n") {
		return "", nil, errors.New(`it is not of the form "name:base64"`)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", nil, errors.New("what follows its name is not base64")
	}
	if len(raw) != size {
		return "", nil, fmt.Errorf("it has %d bytes, and such a key %d", len(raw), size)
	}
	return name, raw, nil
}

// String is the key in Nix's notation.
func (k PublicKey) String() string { return k.Name + ":" + base64.StdEncoding.EncodeToString(k.key) }

// Secret is the key in Nix's notation, for the file that holds it.
func (k SecretKey) Secret() string { return k.Name + ":" + base64.StdEncoding.EncodeToString(k.key) }

// Public is the other half.
func (k SecretKey) Public() PublicKey {
	return PublicKey{Name: k.Name, key: k.key.Public().(ed25519.PublicKey)}
}

// sign signs a text and returns the signature in Nix's notation.
func (k SecretKey) sign(text string) string {
	return k.Name + ":" + base64.StdEncoding.EncodeToString(ed25519.Sign(k.key, []byte(text)))
}

// made reports whether the signature is this key's, over the text.
func (k PublicKey) made(signature, text string) bool {
	name, b64, ok := strings.Cut(signature, ":")
	if !ok || name != k.Name {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(b64)
	return err == nil && ed25519.Verify(k.key, []byte(text), raw)
}
