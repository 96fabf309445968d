# Sourced by the scripts in this folder (bash): sets the root, the pinned Node and the installed packages.
# All messages go to stderr, so that stdout belongs to the caller.

set -euo pipefail
# A core dump would contain the seed.
ulimit -c 0

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
STAMP="$ROOT/node_modules/.tilld-installed"
# Installs the packages, under the pinned Node.
NPM_VERSION=11.19.1
# The caller's PATH, without the pinned Node.
MACHINE_PATH="$PATH"
export PATH="$ROOT/node_modules/.bin:$PATH"

# The inputs of the installation; when one of these files changes, the packages are checked again.
_install_fingerprint() { cat "$ROOT/package.json" "$ROOT/package-lock.json" "$ROOT/scripts/_env.sh" | cksum; }

_packages_are_current() {
  [ "$("$ROOT/node_modules/.bin/node" -p 'process.versions.node.split(".")[0]' 2>/dev/null)" = 24 ] &&
    { [ "$(cat "$STAMP" 2>/dev/null)" = "$(_install_fingerprint)" ] || { [ -z "$(_stale_packages 2>&1)" ] && _install_fingerprint >"$STAMP"; }; }
}

# Prints packages that are missing or whose version differs from the lock file, by npm's own list of installed packages,
# because npm may have been run by hand since. Optional packages count if they are binaries of this platform, which npm
# omits silently under an unsupported Node. The project's own optional dependencies may be missing.
_stale_packages() {
  node - "$ROOT" <<'JS'
    const { existsSync, readFileSync } = require('node:fs');
    const [, , root] = process.argv;
    const read = (file) => JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));
    const { packages: wanted } = read('package-lock.json');
    const declared = read('package.json');
    const list = 'node_modules/.package-lock.json';
    const present = existsSync(`${root}/${list}`) ? read(list).packages : {};
    for (const kind of ['dependencies', 'devDependencies'])
      for (const [name, range] of Object.entries(declared[kind] ?? {}))
        if (wanted[''][kind]?.[name] !== range) console.log(`${name} is not in the lock file`);
    const optional = Object.keys(declared.optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
    const isOfPlatform = ({ os, cpu, libc = ['glibc'] }) =>
      os?.includes(process.platform) && cpu?.includes(process.arch) && libc.includes('glibc');
    const isNeeded = (path, entry) =>
      entry.optional || entry.devOptional
        ? isOfPlatform(entry) && !optional.some((name) => path.startsWith(name))
        : true;
    for (const [path, entry] of Object.entries(wanted))
      if (path !== '' && isNeeded(path, entry) && !(present[path]?.version === entry.version && existsSync(`${root}/${path}`)))
        console.log(`${path} ${entry.version}`);
JS
}

# Installs the pinned Node, and an npm that runs under it, into a directory. The machine's npm is used for that only:
# under an older Node it omits packages that the build needs, and Debian's npm runs only under Debian's Node.
_bring_installer() {
  local version os cpu
  version="$(sed -n '/"node_modules\/node": {/,/}/s/.*"version": "\(.*\)".*/\1/p' "$ROOT/package-lock.json")"
  os="$(uname -s | tr '[:upper:]' '[:lower:]')"
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) cpu="$(uname -m)" ;;
  esac
  (
    cd "$1" &&
      printf '{"private":true}\n' >package.json &&
      PATH="$MACHINE_PATH" npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
        "node-$os-$cpu@$version" "npm@$NPM_VERSION" &&
      mkdir bin &&
      ln -s "../node_modules/node-$os-$cpu/bin/node" bin/node
  ) && [ "$("$1/bin/node" -p process.versions.node)" = "$version" ]
}

# Install scripts are disabled, because the native packages ship prebuilt binaries. The binary of the package `node`,
# which its script would download again, comes from the installer.
_install_packages() {
  PATH="$MACHINE_PATH" command -v npm >/dev/null || {
    echo "npm is missing. Install Node.js with npm, version 14 or later (Debian: apt install nodejs npm), and start again: the project brings its own Node 24" >&2
    return 1
  }
  local attempt installer missing
  mkdir -p "$ROOT/.build"
  for attempt in 1 2 3; do
    # Named like an unfinished build, so that a later build removes the leftovers of a killed start.
    installer="$(mktemp -d "$ROOT/.build/new-XXXXXX")"
    if _install_by "$installer" >&2; then missing="$(_stale_packages)"; else missing="everything: see above"; fi
    rm -rf "$installer"
    if [ -z "$missing" ]; then
      _install_fingerprint >"$STAMP"
      return 0
    fi
    printf 'installing packages failed, attempt %s of 3; missing: %s\n' "$attempt" "$missing" >&2
  done
  return 1
}

# Every step is joined by `&&`, because bash ignores `set -e` in functions that are called in a condition.
_install_by() (
  # npm's cache is in the home directory, which may be missing or not writable.
  if [ ! -w "${HOME:-/nonexistent}" ]; then export npm_config_cache="${npm_config_cache:-$1/cache}"; fi
  # A registry, a proxy or a certificate may be configured for the machine's npm.
  npm_config_globalconfig="$(PATH="$MACHINE_PATH" npm config get globalconfig)" &&
    export npm_config_globalconfig &&
    _bring_installer "$1" &&
    export PATH="$1/bin:$1/node_modules/.bin:$MACHINE_PATH" &&
    cd "$ROOT" &&
    _install_locked &&
    mkdir -p node_modules/node/bin node_modules/.bin &&
    cp "$1/bin/node" node_modules/node/bin/node &&
    ln -sf ../node/bin/node node_modules/.bin/node
)

# `npm ci` fails with a registry that lacks optional packages of other platforms;
# `npm install --no-save` installs the same locked versions without them.
_install_locked() {
  local log flags=(--ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error)
  log="$(mktemp)"
  npm ci "${flags[@]}" "$@" >"$log" 2>&1 || {
    grep -q 'from lock file' "$log" || cat "$log"
    npm install --no-save "${flags[@]}" "$@"
  }
  local status=$?
  rm -f "$log"
  return $status
}

# Leaves what the daemon needs of installed packages to run: of native packages the binaries of this platform only.
trim_packages() {
  find "$1" -name '*.node' -path '*/prebuilds/*' ! -path "*/linux-$(node -p process.arch)*" -delete
  find "$1" -name '*.musl.node' -delete
  find "$1" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -iname '*.md' \) -delete
  # The compiler is there as a peer of packages that bring their own types.
  rm -rf "$1/elliptic" "$1/typescript" "$1/@types" "$1/better-sqlite3/deps" "$1/better-sqlite3/src"
  # Builds for browsers, sources of builds, and the fonts that no document uses.
  rm -rf "$1"/pdfkit/{.yarn,tools,js/pdfkit.{browser,standalone,old}*} "$1"/fontkit/{src,dist/browser*} "$1"/brotli/{build,test} \
    "$1"/dejavu-fonts-ttf/{fontconfig,*.txt,NEWS,BUGS} "$1"/ethers/{dist,src.ts} "$1"/zod/src \
    "$1"/@solana/web3.js/{src,lib/index.{browser,iife,native}.*}
  [ ! -d "$1/dejavu-fonts-ttf" ] ||
    find "$1/dejavu-fonts-ttf" -name '*.ttf' ! -name DejaVuSans.ttf ! -name DejaVuSans-Bold.ttf -delete
  find "$1" -type d -empty -delete
}

# Idempotent, fast if nothing changed, and safe when two scripts start at the same time.
ensure_packages() {
  _packages_are_current && return 0
  local lock
  exec {lock}<"$ROOT/package-lock.json"
  if command -v flock >/dev/null; then flock -w 900 "$lock"; fi
  _packages_are_current || _install_packages || return 1
  exec {lock}<&-
}

# Both daemons, from PATH or the cache. Outside of CI a missing one is only reported,
# because its tests print that they are skipped.
ensure_nodes() {
  local daemon
  for daemon in bitcoind litecoind; do
    "$ROOT/test/_helpers/nodes/install.sh" "$daemon" >/dev/null && continue
    [ "${CI:-}" = true ] && return 1
    echo "going on without $daemon" >&2
  done
  return 0
}

# The inputs of a build: the same sources and packages produce the same build.
_build_stamp() {
  (
    cd "$ROOT"
    {
      cat package.json package-lock.json tsconfig*.json rolldown.config.ts vite.config.ts
      find locales src packages/sdk/src -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum
    } | cksum | tr ' ' -
  )
}

# Prints the directory of the current sources' build, and builds it if it is missing. The directory is renamed into
# place when complete and never changed afterwards, so that a daemon that runs from it keeps its pages. Types are
# checked elsewhere (npm run typecheck).
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
      (cd "$ROOT" && TILLD_BUILD_DIR="$new" node --run build:server && TILLD_BUILD_DIR="$new" node --run build:web) >&2 || {
        rm -rf "$new"
        return 1
      }
      # Without flock another start may have been faster: its directory has the same content.
      mv -T "$new" "$build" 2>/dev/null || rm -rf "$new"
      _remove_old_builds "$build"
    fi
    exec {lock}<&-
  fi
  printf '%s\n' "$build"
}

# Keeps the three latest, because daemons may still run from them, and unfinished ones that are being written.
_remove_old_builds() {
  local old
  find "$ROOT/.build" -mindepth 1 -maxdepth 1 -name 'new-*' -mmin +60 -exec rm -rf {} +
  find "$ROOT/.build" -mindepth 1 -maxdepth 1 ! -name 'new-*' ! -path "$1" -printf '%T@ %p\n' | sort -rn | tail -n +3 | cut -d' ' -f2- |
    while IFS= read -r old; do rm -rf "$old"; done
}

# Runs a command of the build of the current sources. The service must not change an installed program: without sources,
# or if dist is newer than they are, nothing is installed or written. Paths are relative to the caller's directory.
run_tool() {
  local build="$ROOT/dist" tool="$1"
  shift
  if [ ! -x "$ROOT/node_modules/.bin/node" ] || [ ! -f "$build/tools/$tool.js" ] ||
    { [ -d "$ROOT/src" ] && [ -n "$(find "$ROOT/src" "$ROOT/locales" -newer "$build/tools/$tool.js" -print -quit)" ]; }; then
    ensure_packages
    build="$(ensure_build)"
  fi
  exec node "$build/tools/$tool.js" "$@"
}

# Installs Debian packages if permitted; fails otherwise.
_install_debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  local attempt
  for attempt in 1 2 3; do
    apt-get update -q >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 && return 0
    echo "installing $* failed, attempt $attempt of 3" >&2
  done
  return 1
}

# A browser for the page tests: Debian's, installed if missing and permitted.
ensure_browser() {
  local browser="${TILLD_TEST_CHROMIUM:-/usr/bin/chromium-headless-shell}"
  [ -x "$browser" ] && return 0
  _install_debian chromium-headless-shell fonts-dejavu-core && return 0
  echo "no browser at $browser, its tests will fail: install Debian's chromium-headless-shell, or set TILLD_TEST_CHROMIUM" >&2
  [ "${CI:-}" != true ]
}

# PHP runs the samples of the documentation; installed if missing and permitted.
ensure_php() {
  command -v php >/dev/null && php -r 'exit(function_exists("curl_init") ? 0 : 1);' && return 0
  _install_debian php-cli php-curl && return 0
  echo "no php with curl, the tests of its samples will fail: install Debian's php-cli and php-curl" >&2
  [ "${CI:-}" != true ]
}

# Python runs the sample of the documentation; installed if missing and permitted.
ensure_python() {
  command -v python3 >/dev/null && return 0
  _install_debian python3 && return 0
  echo "no python3, the test of its sample will fail: install Debian's python3" >&2
  [ "${CI:-}" != true ]
}

# faketime moves the clock in tests; installed if missing and permitted.
ensure_faketime() {
  command -v faketime >/dev/null && return 0
  _install_debian faketime && return 0
  echo "no faketime, the tests that step the clock will fail: install Debian's faketime" >&2
  [ "${CI:-}" != true ]
}

# Signs releases; installed when missing and allowed to.
ensure_ssh_keygen() {
  command -v ssh-keygen >/dev/null && return 0
  _install_debian openssh-client && return 0
  echo "no ssh-keygen, the test of a release will fail: install Debian's openssh-client" >&2
  [ "${CI:-}" != true ]
}

# promtool tests the alert rules. It is unpacked from Debian's package, because an installed one starts a Prometheus.
ensure_promtool() {
  local cache="${XDG_CACHE_HOME:-$HOME/.cache}/tilld-promtool" work
  export PATH="$PATH:$cache"
  command -v promtool >/dev/null && return 0
  if command -v apt-get >/dev/null; then
    mkdir -p "$cache" && work="$(mktemp -d "$cache/.new-XXXXXX")" || return 1
    if [ "$(id -u)" = 0 ]; then apt-get update -q >&2 || true; fi
    (cd "$work" && apt-get download -q -o APT::Sandbox::User= prometheus >&2 && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x --strip-components=3 ./usr/bin/promtool) &&
      mv "$work/promtool" "$cache/promtool"
    rm -rf "$work"
    [ -x "$cache/promtool" ] && return 0
  fi
  echo "no promtool, the test of the alert rules will fail: install Debian's prometheus" >&2
  [ "${CI:-}" != true ]
}

# Temporary files of the tests go into memory if there is enough, because hundreds of databases and nodes flush to them,
# and a throttled disk delays single tests for minutes. A TMPDIR set by the caller is kept.
keep_temporary_files_in_memory() {
  local place=/dev/shm enough_kb=$((6 * 1024 * 1024)) free_kb memory_kb probe
  [ -z "${TMPDIR:-}" ] && [ -d "$place" ] && [ -w "$place" ] || return 0
  free_kb="$(df --output=avail -k "$place" 2>/dev/null | tail -n 1)" || return 0
  memory_kb="$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null)" || return 0
  [ "${free_kb:-0}" -ge "$enough_kb" ] && [ "${memory_kb:-0}" -ge "$enough_kb" ] || return 0
  # Some tests execute programs there, so it must not be mounted noexec.
  probe="$(mktemp "$place/tilld-probe-XXXXXX")" || return 0
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe"
  if "$probe" 2>/dev/null; then export TMPDIR="$place"; fi
  rm -f "$probe"
}
