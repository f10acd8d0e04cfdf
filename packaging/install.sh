#!/bin/sh
# Installs social @VERSION@, one file that needs no Node, with its manual pages and completions:
#   sh install.sh [--prefix DIR] [--from URL]     into DIR (~/.local), downloaded from URL (the release)
#   sh install.sh --uninstall [--prefix DIR]
# What is downloaded is installed only if its SHA-256 is the one below and the program in it starts.
set -eu

version='@VERSION@'
from='@RELEASE@'
prefix="${HOME:?}/.local"
uninstall=''

# SHA-256 and name of each archive of this release.
sums() {
  cat <<'END'
@SUMS@
END
}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?"--prefix needs a folder"} && shift 2 ;;
    --from) from=${2:?"--from needs a URL"} && shift 2 ;;
    --uninstall) uninstall=yes && shift ;;
    *) fail "unknown argument $1 (expected: --prefix, --from, --uninstall)" ;;
  esac
done

# The list of installed files is one of them.
list="$prefix/share/social/files"
remove_installed() {
  while IFS= read -r file; do
    case $file in
      *..*) fail "unexpected path in $list: $file" ;;
      bin/* | share/*) rm -f -- "$prefix/$file" ;;
    esac
  done <"$list"
  rmdir "$prefix/share/social" 2>/dev/null || true
}

if [ -n "$uninstall" ]; then
  [ -f "$list" ] || fail "nothing to remove: $list does not exist"
  remove_installed
  echo "social is removed from $prefix; its settings and history stay in ~/.config/social and ~/.local/state/social"
  exit 0
fi

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) fail "no single file for $(uname -s); install the package with npm: @HOMEPAGE@/blob/main/docs/package.md" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) machine=$(uname -m) ;;
esac
archive="social-$version-$system-$machine.tar.gz"
expected=$(sums | sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p")
[ -n "$expected" ] || fail "no single file for $system-$machine; install the package with npm: @HOMEPAGE@/blob/main/docs/package.md"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if command -v curl >/dev/null; then
  curl -fsSL --retry 2 -o "$folder/$archive" "$from/$archive" || fail "cannot download $from/$archive"
elif command -v wget >/dev/null; then
  wget -q -O "$folder/$archive" "$from/$archive" || fail "cannot download $from/$archive"
else
  fail "curl or wget is needed"
fi

if command -v sha256sum >/dev/null; then
  actual=$(sha256sum "$folder/$archive")
elif command -v shasum >/dev/null; then
  actual=$(shasum -a 256 "$folder/$archive")
else
  fail "sha256sum or shasum is needed"
fi
actual=${actual%% *}
[ "$actual" = "$expected" ] ||
  fail "the SHA-256 of $from/$archive is $actual, expected $expected; nothing is installed"

mkdir "$folder/social"
tar -xzf "$folder/$archive" -C "$folder/social"
started=$("$folder/social/bin/social" --version 2>&1) ||
  fail "social does not start here: $started; on Linux it needs glibc 2.28 or newer, libstdc++ and libatomic"
[ "$started" = "$version" ] || fail "the program says $started, expected $version"

mkdir -p "$prefix"
[ ! -f "$list" ] || remove_installed
tar -xzf "$folder/$archive" -C "$prefix"
echo "social $version is in $prefix/bin/social"
case :$PATH: in
  *":$prefix/bin:"*) ;;
  *) echo "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
