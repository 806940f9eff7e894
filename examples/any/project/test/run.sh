#!/bin/sh
# Runs every test/*_test.sh.
set -u
cd "$(dirname "$0")/.."
. test/tap.sh
for file in test/*_test.sh; do . "./$file"; done
done_testing
