# Sourced after scripts/_env.sh: minimal roots of Debian, made by debootstrap from the archive that this machine's apt uses,
# and kept in the user's cache. Needs root.
CACHE="${TILLD_COMPOSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilld-compose}"
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
DEBIAN_LOCK_SECONDS=1800

# The Debian archive that this machine is configured for.
debian_mirror() {
  apt-get indextargets --no-release-info --format '$(REPO_URI) $(COMPONENT) $(RELEASE)' 'Created-By: Packages' |
    awk '$2 == "main" && $3 !~ /(security|updates|backports)/ && $1 !~ /security/ { print $1; exit }'
}

# make_debian_root SUITE DIRECTORY: with what it needs to reach the archive and the registry as this machine does.
make_debian_root() {
  local suite="$1" root="$2"
  debootstrap --variant=minbase "$suite" "$root" "$(debian_mirror)" >"$root.log" 2>&1 || {
    tail -n 5 "$root.log" >&2
    return 1
  }
  apt-config dump | grep '^Acquire::Check-' >"$root/etc/apt/apt.conf.d/90machine" || true
  install -D -m 0644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
}

# ensure_debian_archive SUITE: prints the path of a tar archive of such a root; it is there as a whole or not at all.
ensure_debian_archive() {
  local suite="$1" archive="$CACHE/debian-$1.tar" work lock
  mkdir -p "$CACHE"
  exec {lock}>"$CACHE/.debian-$suite.lock"
  flock -w "$DEBIAN_LOCK_SECONDS" "$lock" || return 1
  if [ ! -f "$archive" ]; then
    echo "making a root of Debian $suite, once" >&2
    work="$(mktemp -d "$CACHE/.debian-XXXXXX")"
    { make_debian_root "$suite" "$work/root" || { sleep 5 && rm -rf "$work/root" && make_debian_root "$suite" "$work/root"; }; } &&
      tar -C "$work/root" -cf "$work/root.tar" . && mv "$work/root.tar" "$archive"
    rm -rf "$work"
  fi
  exec {lock}<&-
  [ -f "$archive" ] && printf '%s\n' "$archive"
}
