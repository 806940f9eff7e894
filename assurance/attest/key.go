package attest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
)

// PrivateKey signs. It prints as nothing that a log may not hold.
type PrivateKey struct{ key ed25519.PrivateKey }

// String hides the key.
func (PrivateKey) String() string { return "a private key" }

// GoString hides the key.
func (PrivateKey) GoString() string { return "attest.PrivateKey{}" }

// PublicKey verifies.
type PublicKey struct{ key ed25519.PublicKey }

// NewKey makes a key.
func NewKey() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return PrivateKey{key}, err
}

// Public is the other half.
func (k PrivateKey) Public() PublicKey { return PublicKey{k.key.Public().(ed25519.PublicKey)} }

// ID is the fingerprint that OpenSSH shows of the key (RFC 4253, 6.6): "SHA256:" and base64. Readers of DSSE that name keys by
// themselves do it so.
func (k PublicKey) ID() string {
	var wire []byte
	for _, part := range [][]byte{[]byte("ssh-ed25519"), k.key} {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(part))), part...)
	}
	sum := sha256.Sum256(wire)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

// PEM is the form of a key file (PKCS #8).
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der}), err
}

// PEM is the form of a file for a key that may be shown (SubjectPublicKeyInfo).
func (k PublicKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(k.key)
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: der}), err
}

// ParsePrivateKey reads the PEM form of an ed25519 key. The error never holds any of it.
func ParsePrivateKey(data []byte) (PrivateKey, error) {
	block, err := oneBlock(data, privateBlock)
	if err != nil {
		return PrivateKey{}, err
	}
	key, err := x509.ParsePKCS8PrivateKey(block)
	if k, ok := key.(ed25519.PrivateKey); ok && err == nil {
		return PrivateKey{k}, nil
	}
	return PrivateKey{}, errors.New("it is no ed25519 key in the form PKCS #8; lane keygen makes one")
}

// ParsePublicKey reads the PEM form of an ed25519 key.
func ParsePublicKey(data []byte) (PublicKey, error) {
	block, err := oneBlock(data, publicBlock)
	if err != nil {
		return PublicKey{}, err
	}
	key, err := x509.ParsePKIXPublicKey(block)
	if k, ok := key.(ed25519.PublicKey); ok && err == nil {
		return PublicKey{k}, nil
	}
	return PublicKey{}, errors.New("it is no ed25519 key; lane keygen makes a pair")
}

func oneBlock(data []byte, kind string) ([]byte, error) {
	block, rest := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("it holds no PEM block %q", kind)
	}
	if block.Type == privateBlock && kind == publicBlock {
		return nil, errors.New("it is a private key, where a public one belongs")
	}
	if next, _ := pem.Decode(rest); block.Type != kind || next != nil {
		return nil, fmt.Errorf("it holds something else than one PEM block %q", kind)
	}
	return block.Bytes, nil
}
