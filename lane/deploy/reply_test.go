package deploy

import (
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What is said about an object is told from what is said of the credential and of webhooks by how the server begins, never by words that an object may bring.
func TestAbout(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	said := func(code int32, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Message: message}}
	}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{said(http.StatusUnprocessableEntity, `Deployment.apps "web" is invalid: metadata.labels: Invalid value: "failed calling webhook"`), true},
		{said(http.StatusUnprocessableEntity, `Deployment.apps "web" is invalid: metadata.labels: Invalid value: "does not support dry run"`), true},
		{said(http.StatusBadRequest, `strict decoding error: unknown field "spec.does not support dry run"`), true},
		{said(http.StatusBadRequest, `strict decoding error: unknown field "admission webhook \"a\" does not support dry run"`), true},
		{said(http.StatusForbidden, `admission webhook "a.example.org" denied the request: " cannot create resource " is forbidden: User "x"`), true},
		{apierrors.NewForbidden(deployments, `x" is forbidden: User "`, errors.New("violates PodSecurity")), true},
		{apierrors.NewForbidden(deployments, "web", errors.New("the label 'User \"a\" cannot patch resource \"b\"' is not allowed")), true},

		{apierrors.NewForbidden(deployments, "web", errors.New(`User "lane" cannot patch resource "deployments" in API group "apps" in the namespace "shop"`)), false},
		{apierrors.NewForbidden(deployments, "", errors.New(`User "lane" cannot create resource "deployments" in API group "apps" in the namespace "shop"`)), false},
		{said(http.StatusBadRequest, `admission webhook "a.example.org" does not support dry run`), false},
		{said(http.StatusInternalServerError, `Internal error occurred: failed calling webhook "a.example.org": dial tcp: refused`), false},
		{errors.New("dial tcp: refused"), false},
	} {
		if got := about(c.err); got != c.want {
			t.Errorf("about the object: %v, want %v: %v", got, c.want, c.err)
		}
	}
}
