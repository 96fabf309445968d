# Sourced by the scripts beside it (bash): a known place, the right Node and installed packages.
# Everything printed here goes to stderr, so that the callers' output stays theirs.

set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
STAMP="$ROOT/node_modules/.tilld-installed"
export PATH="$ROOT/node_modules/.bin:$PATH"

# What the packages were installed from; when either file changes, they are looked at again.
_install_fingerprint() { cat "$ROOT/package.json" "$ROOT/package-lock.json" | cksum; }

_packages_are_current() {
  [ "$("$ROOT/node_modules/.bin/node" -p 'process.versions.node.split(".")[0]' 2>/dev/null)" = 24 ] &&
    { [ "$(cat "$STAMP" 2>/dev/null)" = "$(_install_fingerprint)" ] || _same_versions; }
}

# npm keeps a list of what it installed: somebody may have run npm by hand since.
_same_versions() {
  node - "$ROOT" <<'JS' 2>/dev/null && _install_fingerprint >"$STAMP"
    const { readFileSync } = require('node:fs');
    const read = (file) => JSON.parse(readFileSync(`${process.argv[2]}/${file}`, 'utf8')).packages;
    const wanted = read('package-lock.json');
    const present = read('node_modules/.package-lock.json');
    const declared = JSON.parse(readFileSync(`${process.argv[2]}/package.json`, 'utf8'));
    for (const kind of ['dependencies', 'devDependencies'])
      if (Object.entries(declared[kind] ?? {}).some(([name, range]) => wanted[''][kind]?.[name] !== range)) process.exit(1);
    const stale = Object.entries(wanted).some(([path, { version, optional, devOptional }]) =>
      path !== '' && !optional && !devOptional && present[path]?.version !== version);
    process.exit(stale ? 1 : 0);
JS
}

# Package scripts stay off, except that of `node` itself, which puts the pinned Node 24 in place
# (the older Node of the machine only has to run npm). The native packages ship prebuilt binaries.
_install_packages() {
  command -v npm >/dev/null || {
    echo "npm is missing: install any Node with npm (the project brings its own Node 24)" >&2
    return 1
  }
  local attempt
  for attempt in 1 2 3; do
    if (cd "$ROOT" && _install_locked && npm rebuild node) >&2 && _same_versions; then return 0; fi
    echo "installing packages failed, attempt $attempt of 3" >&2
  done
  return 1
}

# `npm ci` refuses a registry that lacks optional packages of platforms other than this one;
# `npm install --no-save` takes the same locked versions and leaves them out.
_install_locked() {
  local log flags=(--ignore-scripts --no-audit --no-fund --loglevel=error)
  log="$(mktemp)"
  npm ci "${flags[@]}" >"$log" 2>&1 || {
    grep -q 'from lock file' "$log" || cat "$log"
    npm install --no-save "${flags[@]}"
  }
  local status=$?
  rm -f "$log"
  return $status
}

# Idempotent, quick when nothing changed, and safe when two scripts start at once.
ensure_packages() {
  _packages_are_current && return 0
  local lock
  exec {lock}<"$ROOT/package-lock.json"
  if command -v flock >/dev/null; then flock -w 900 "$lock"; fi
  _packages_are_current || _install_packages
  exec {lock}<&-
}

# Both daemons, on PATH or in the cache. Elsewhere than in CI a missing one is only a remark:
# the tests that need it say loudly that they are skipped.
ensure_nodes() {
  local daemon
  for daemon in bitcoind litecoind; do
    "$ROOT/test/_helpers/nodes/install.sh" "$daemon" >/dev/null && continue
    [ "${CI:-}" = true ] && return 1
    echo "going on without $daemon" >&2
  done
  return 0
}

# What a build is made of: the same sources and packages give the same build.
_build_stamp() {
  (
    cd "$ROOT"
    {
      cat package.json package-lock.json tsconfig*.json rolldown.config.ts vite.config.ts
      find src packages/sdk/src -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum
    } | cksum | tr ' ' -
  )
}

# Prints the directory that holds the build of the present sources, and makes it when there is none. It appears under its
# name complete, in one step, and is never written again: a daemon that runs from it keeps its pages whatever is
# built later. Types are checked elsewhere (npm run typecheck).
ensure_build() {
  local build lock new
  build="$ROOT/.build/$(_build_stamp)"
  if [ ! -d "$build" ]; then
    mkdir -p "$ROOT/.build"
    exec {lock}<"$ROOT/rolldown.config.ts"
    if command -v flock >/dev/null; then flock -w 900 "$lock"; fi
    if [ ! -d "$build" ]; then
      echo "building the daemon and its pages" >&2
      new="$(mktemp -d "$ROOT/.build/new-XXXXXX")"
      chmod 755 "$new"
      (cd "$ROOT" && TILLD_BUILD_DIR="$new" npm run --silent build:server && TILLD_BUILD_DIR="$new" npm run --silent build:web) >&2 || {
        rm -rf "$new"
        return 1
      }
      # The directory is there already where another start without flock was quicker: it holds the same.
      mv -T "$new" "$build" 2>/dev/null || rm -rf "$new"
      _remove_old_builds "$build"
    fi
    exec {lock}<&-
  fi
  printf '%s\n' "$build"
}

# The three latest stay: daemons may still run from them. So do unfinished ones that are being written.
_remove_old_builds() {
  local old
  find "$ROOT/.build" -mindepth 1 -maxdepth 1 -name 'new-*' -mmin +60 -exec rm -rf {} +
  find "$ROOT/.build" -mindepth 1 -maxdepth 1 ! -name 'new-*' ! -path "$1" -printf '%T@ %p\n' | sort -rn | tail -n +3 | cut -d' ' -f2- |
    while IFS= read -r old; do rm -rf "$old"; done
}

# A command of the build, of the present sources. An installed program is not the service's to change: without sources,
# or where dist is newer than they are, nothing is installed or written. Paths stay those of the caller.
run_tool() {
  local build="$ROOT/dist" tool="$1"
  shift
  if [ ! -x "$ROOT/node_modules/.bin/node" ] || [ ! -f "$build/tools/$tool.js" ] ||
    { [ -d "$ROOT/src" ] && [ -n "$(find "$ROOT/src" -newer "$build/tools/$tool.js" -print -quit)" ]; }; then
    ensure_packages
    build="$(ensure_build)"
  fi
  exec node "$build/tools/$tool.js" "$@"
}

# Installs packages of Debian where that is allowed; fails elsewhere.
_install_debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  local attempt
  for attempt in 1 2 3; do
    apt-get update -q >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 && return 0
    echo "installing $* failed, attempt $attempt of 3" >&2
  done
  return 1
}

# A browser for the tests of the pages: Debian's, installed when missing and allowed to.
ensure_browser() {
  local browser="${TILLD_TEST_CHROMIUM:-/usr/bin/chromium-headless-shell}"
  [ -x "$browser" ] && return 0
  _install_debian chromium-headless-shell fonts-dejavu-core && return 0
  echo "no browser at $browser, its tests will fail: install Debian's chromium-headless-shell, or set TILLD_TEST_CHROMIUM" >&2
  [ "${CI:-}" != true ]
}

# PHP runs the samples of the documentation; installed when missing and allowed to.
ensure_php() {
  command -v php >/dev/null && php -r 'exit(function_exists("curl_init") ? 0 : 1);' && return 0
  _install_debian php-cli php-curl && return 0
  echo "no php with curl, the tests of its samples will fail: install Debian's php-cli and php-curl" >&2
  [ "${CI:-}" != true ]
}

# Steps of the clock for the tests; installed when missing and allowed to.
ensure_faketime() {
  command -v faketime >/dev/null && return 0
  _install_debian faketime && return 0
  echo "no faketime, the tests that step the clock will fail: install Debian's faketime" >&2
  [ "${CI:-}" != true ]
}

# OpenSSH's server, for replicas on SFTP; installed when missing and allowed to. The tests run one of their own without rights.
ensure_sshd() {
  [ -x /usr/sbin/sshd ] && command -v ssh-keyscan >/dev/null && return 0
  # Elsewhere than in CI nobody asked for a service that may start by itself.
  if [ "${CI:-}" = true ]; then _install_debian openssh-server && return 0; fi
  echo "no /usr/sbin/sshd, the tests of replicas on SFTP will fail: install Debian's openssh-server" >&2
  [ "${CI:-}" != true ]
}

# Temporary files of the tests go into memory where there is enough: hundreds of databases and nodes flush to them, and
# a disk that is throttled for it keeps a whole test waiting for minutes. A place that was named already stays.
keep_temporary_files_in_memory() {
  local place=/dev/shm enough_kb=$((6 * 1024 * 1024)) free_kb memory_kb probe
  [ -z "${TMPDIR:-}" ] && [ -d "$place" ] && [ -w "$place" ] || return 0
  free_kb="$(df --output=avail -k "$place" 2>/dev/null | tail -n 1)" || return 0
  memory_kb="$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null)" || return 0
  [ "${free_kb:-0}" -ge "$enough_kb" ] && [ "${memory_kb:-0}" -ge "$enough_kb" ] || return 0
  # Some tests start programs there.
  probe="$(mktemp "$place/tilld-probe-XXXXXX")" || return 0
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe"
  if "$probe" 2>/dev/null; then export TMPDIR="$place"; fi
  rm -f "$probe"
}
