# A test suite in a dozen lines: is NAME WANT GOT, and the Test Anything Protocol on stdout.
tests=0
failed=0

is() {
	tests=$((tests + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
		echo "# got $3, want $2"
		failed=1
	fi
}

done_testing() {
	echo "1..$tests"
	exit $failed
}
