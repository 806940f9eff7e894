// Package docs is the place of what a newcomer reads. It holds no code. Its
// tests keep the pages true: links lead somewhere, and the page of dependencies
// names what is used and nothing else.
package docs
