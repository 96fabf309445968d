#!/usr/bin/env bash
# Brings bitcoind and litecoind without root and without Docker.
#
#   install.sh bitcoind|litecoind                    prints the path of a daemon that answered -version
#   install.sh bitcoind|litecoind SUITE VERSION      of exactly this suite and version of Debian's package
#
# A daemon on PATH wins. Otherwise the Debian package and every library that it depends on are
# unpacked beside each other under the cache directory and started through their own loader, so
# nothing of the machine changes and the machine's libc does not matter. The mirror is the one
# that the machine's own apt uses; apt runs with private state, so no root and no shared lists.
set -euo pipefail

NODES_DIR="${TILLD_NODES_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tilld-nodes}"
ATTEMPTS=3
TRY_SECONDS=300
LOCK_SECONDS=900
VERSION=any

note() { printf 'nodes: %s\n' "$*" >&2; }
die() {
  note "$*"
  exit 1
}

# Whether a daemon works at all: it can say its version.
answers_version() { timeout 20 "$1" -version </dev/null >/dev/null 2>&1; }

# Debian package, the suites to take it from (first that works), its version, and the folder in the cache. The folder of
# an older litecoind was `litecoind`: a cache that has it gets the present one besides.
describe() {
  case "$1" in
    bitcoind) PACKAGE=bitcoin-knots SUITES="sid" TREE=bitcoind ;;
    litecoind) PACKAGE=litecoind SUITES="trixie sid" TREE=litecoind-trixie ;;
    *) die "unknown daemon '$1': bitcoind or litecoind" ;;
  esac
  if [ $# -gt 1 ]; then SUITES="$2" VERSION="$3" TREE="$1-$2"; fi
}

# apt with everything that it reads or writes inside $WORK (command line options outrank files).
private_apt() {
  local tool="$1"
  shift
  timeout "$TRY_SECONDS" "$tool" \
    -o Dir::Etc::SourceList="$WORK/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
    -o Dir::State="$WORK/state" -o Dir::State::Lists="$WORK/state/lists" \
    -o Dir::State::status="$WORK/state/status" -o Dir::Cache="$WORK/cache" \
    -o APT::Sandbox::User= -o APT::Default-Release= -o Acquire::Languages=none \
    -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
    "$@"
}

# The Debian archives that this machine is configured for, likeliest first.
debian_mirrors() {
  apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 2>/dev/null |
    awk '$3 == "main" && $2 !~ /(security|updates|backports)/ && $1 !~ /security/ && !seen[$1]++ { print $1 }'
}

retry() {
  local attempt
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    "$@" && return 0
    note "attempt $attempt of $ATTEMPTS failed: ${*:1:3}"
    sleep "$attempt"
  done
  return 1
}

# Package lists of one suite, into $WORK. Fails when the suite does not hold the package.
load_lists() {
  local mirror="$1" suite="$2" part keyring=/usr/share/keyrings/debian-archive-keyring.gpg option=""
  [ -r "$keyring" ] && option="[signed-by=$keyring] "
  rm -rf "$WORK/state" "$WORK/cache"
  mkdir -p "$WORK/state/lists/partial" "$WORK/cache/archives/partial"
  : >"$WORK/state/status"
  # Libraries of a package in backports are those of its release.
  for part in $(printf '%s\n' "${suite%-backports}" "$suite" | uniq); do printf 'deb %s%s %s main\n' "$option" "$mirror" "$part"; done >"$WORK/sources.list"
  retry private_apt apt-get -qq -o APT::Update::Error-Mode=any update || return 1
  private_apt apt-cache show "$PACKAGE" >/dev/null 2>&1 || return 1
  [ "$VERSION" != any ] || return 0
  private_apt apt-cache madison "${PACKAGE%=*}" | awk '{ print $3 }' >"$WORK/versions"
  grep -qxF "$VERSION" "$WORK/versions" || die "Debian $suite has no ${PACKAGE%=*} $VERSION any more, but $(paste -sd ' ' "$WORK/versions"): read its notes, then name it"
  PACKAGE="${PACKAGE%=*}=$VERSION"
}

# The package and, transitively, the libraries among its dependencies (configuration tools and
# init systems are of no use in an unpacked tree).
library_closure() {
  private_apt apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts \
    --no-breaks --no-replaces --no-enhances "${PACKAGE%=*}" |
    awk -v start="${PACKAGE%=*}" '
      /^[^ ]/ { package = $1; next }
      $1 ~ /Depends:$/ && $2 ~ /^lib[^<>]*$/ { edges[package] = edges[package] " " $2 }
      END {
        queue[1] = start; last = 1; seen[start] = 1
        for (at = 1; at <= last; at++) {
          print queue[at]
          count = split(edges[queue[at]], next_ones, " ")
          for (i = 1; i <= count; i++)
            if (!(next_ones[i] in seen)) { seen[next_ones[i]] = 1; queue[++last] = next_ones[i] }
        }
      }'
}

download() { (cd "$WORK/debs" && private_apt apt-get -qq download "$@"); }

# The daemon itself: Debian's /usr/bin/litecoind is a shell script around it.
find_program() {
  local candidate
  while read -r candidate; do
    [ "$(head -c 4 "$1/$candidate" | tail -c 3)" = ELF ] && printf '%s\n' "$candidate" && return 0
  done < <(cd "$1" && find usr -type f -name "$2" -perm -u+x)
  return 1
}

# A launcher that finds its own tree, so that the directory can be renamed or moved.
write_launcher() {
  local tree="$1" daemon="$2" loader libc program triplet
  loader="$(cd "$tree/root" && find . -type f -name 'ld-linux*.so*' | head -n 1)"
  libc="$(cd "$tree/root" && find . -name libc.so.6 | head -n 1)"
  program="$(find_program "$tree/root" "$daemon")" || return 1
  [ -n "$loader" ] && [ -n "$libc" ] || return 1
  triplet="$(basename "$(dirname "$libc")")"
  mkdir -p "$tree/bin"
  cat >"$tree/bin/$daemon" <<LAUNCHER
#!/bin/sh
root="\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/root"
exec "\$root/${loader#./}" --library-path "\$root/usr/lib/$triplet:\$root/lib/$triplet" "\$root/$program" "\$@"
LAUNCHER
  chmod 755 "$tree/bin/$daemon"
}

unpack() {
  local daemon="$1" mirror="$2" suite="$3" packages package
  load_lists "$mirror" "$suite" || return 1
  mapfile -t packages < <(library_closure)
  packages[0]="$PACKAGE"
  [ "${#packages[@]}" -gt 1 ] || return 1
  rm -rf "$WORK/debs" "$WORK/tree"
  mkdir -p "$WORK/debs" "$WORK/tree/root"
  retry download "${packages[@]}" || return 1
  for package in "$WORK"/debs/*.deb; do dpkg -x "$package" "$WORK/tree/root" || return 1; done
  rm -rf "$WORK/tree/root/usr/share"
  write_launcher "$WORK/tree" "$daemon" || return 1
  answers_version "$WORK/tree/bin/$daemon"
}

# Under the lock: unpack into a private directory, then rename into place.
install_daemon() {
  local daemon="$1" mirror suite
  command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    die "no $daemon on PATH and no apt-get to bring one: install $daemon by hand"
  WORK="$(mktemp -d "$NODES_DIR/.unpack-XXXXXX")"
  trap 'rm -rf "$WORK"' EXIT
  for suite in $SUITES; do
    while read -r mirror; do
      note "bringing $daemon ($PACKAGE from Debian $suite)"
      if unpack "$daemon" "$mirror" "$suite"; then
        rm -rf "${NODES_DIR:?}/$TREE"
        mv "$WORK/tree" "$NODES_DIR/$TREE"
        note "installed $("$NODES_DIR/$TREE/bin/$daemon" -version | head -n 1)"
        return 0
      fi
      note "could not bring $daemon from Debian $suite"
    done < <(debian_mirrors)
  done
  die "no configured Debian mirror gave $PACKAGE: install $daemon by hand and put it on PATH"
}

main() {
  local daemon="${1:-}" found
  [ $# = 1 ] || [ $# = 3 ] || die "usage: install.sh bitcoind|litecoind [SUITE VERSION]"
  describe "$@"
  found="$(command -v "$daemon" || true)"
  if [ -n "$found" ] && [ "$VERSION" = any ] && answers_version "$found"; then
    printf '%s\n' "$found"
    return 0
  fi
  found="$NODES_DIR/$TREE/bin/$daemon"
  if ! { [ -x "$found" ] && answers_version "$found"; }; then
    mkdir -p "$NODES_DIR"
    exec 9>"$NODES_DIR/.lock"
    flock -w "$LOCK_SECONDS" 9 || die "another install held the lock for $LOCK_SECONDS s"
    { [ -x "$found" ] && answers_version "$found"; } || install_daemon "$daemon"
    exec 9>&-
  fi
  printf '%s\n' "$found"
}

# Other scripts use the functions above.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then main "$@"; fi
