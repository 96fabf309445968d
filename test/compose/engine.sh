#!/usr/bin/env bash
# Runs a command with a Docker engine of its own: Debian's docker.io, started on a private socket and data
# directory, with the two base images that the Dockerfiles name made by debootstrap (nothing is pulled).
# Afterwards everything that it started or added is gone: containers, mounts, bridge, firewall rules.
#
#   engine.sh COMMAND [ARGUMENT...]     COMMAND sees DOCKER_HOST and finds `docker compose`
#
# Needs root. Packages are installed when missing; downloads and base images are kept in the user's cache.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/_env.sh"
source "$ROOT/test/_helpers/debian-root.sh"

DEBIAN_IMAGE=debian:trixie-slim
NODE_IMAGE=node:24-bookworm-slim
# Debian 12 has only the old Compose; this one is a single binary.
COMPOSE_SUITE=trixie
COMPOSE_PACKAGE=docker-compose
START_SECONDS=60
STOP_SECONDS=60
TRIES=3
BRIDGE=docker0

note() { printf 'engine: %s\n' "$*" >&2; }
die() {
  note "$*"
  exit 1
}

retry() {
  local attempt
  for ((attempt = 1; attempt <= TRIES; attempt++)); do
    "$@" && return 0
    note "attempt $attempt of $TRIES failed: $1"
    sleep "$attempt"
  done
  return 1
}

install_packages() {
  local missing=()
  command -v dockerd >/dev/null && command -v docker >/dev/null || missing+=(docker.io)
  command -v iptables-save >/dev/null || missing+=(iptables)
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  command -v curl >/dev/null || missing+=(curl)
  command -v caddy >/dev/null || missing+=(caddy)
  [ "${#missing[@]}" -eq 0 ] && return 0
  command -v apt-get >/dev/null || die "missing, and no apt-get to bring them: ${missing[*]}"
  note "installing ${missing[*]}"
  retry apt-get update -qq >&2 || return 1
  DEBIAN_FRONTEND=noninteractive retry apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Compose v2 as a plug-in of the docker command, unpacked, not installed.
bring_compose() {
  local plugin="$CACHE/cli-plugins/docker-compose" work
  "$plugin" version >/dev/null 2>&1 && return 0
  note "bringing $COMPOSE_PACKAGE of Debian $COMPOSE_SUITE"
  work="$(mktemp -d "$CACHE/.unpack-XXXXXX")"
  mkdir -p "$work/lists/partial" "$work/debs" "$CACHE/cli-plugins"
  : >"$work/status"
  echo "deb [signed-by=$KEYRING] $(debian_mirror) $COMPOSE_SUITE main" >"$work/sources.list"
  local apt=(apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" -o APT::Sandbox::User=root
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o APT::Default-Release=)
  retry "${apt[@]}" update >&2 && (cd "$work/debs" && retry "${apt[@]}" download "$COMPOSE_PACKAGE" >&2) || return 1
  dpkg -x "$work"/debs/*.deb "$work/root"
  mv "$(find "$work/root" -type f -name docker-compose -size +1M | head -n 1)" "$plugin"
  rm -rf "$work"
  "$plugin" version >/dev/null
}

# A minimal Debian with the project's Node and the machine's npm.
make_node_root() {
  local root="$1" npm
  chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends libstdc++6' >"$root.log" 2>&1 || {
    tail -n 5 "$root.log" >&2
    return 1
  }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
  install -D -m 0755 "$ROOT/node_modules/node/bin/node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  cp -aL "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  {
    echo "registry=$(cd / && npm config get registry 2>/dev/null)"
    echo 'cafile=/etc/ssl/certs/ca-certificates.crt'
  } >"$root/usr/local/etc/npmrc"
}

# Both base images as archives in the cache, each there as a whole or not at all.
make_base_archives() {
  local bookworm work
  DEBIAN_ARCHIVE="$(ensure_debian_archive trixie)" && bookworm="$(ensure_debian_archive bookworm)" || return 1
  NODE_ARCHIVE="$CACHE/node-$(node -v)-bookworm.tar"
  [ -f "$NODE_ARCHIVE" ] && return 0
  note "making the base image of Node, once"
  work="$(mktemp -d "$CACHE/.base-XXXXXX")"
  mkdir "$work/root"
  tar -C "$work/root" -xf "$bookworm" && make_node_root "$work/root" && tar -C "$work/root" -cf "$work/node.tar" . || return 1
  mv "$work/node.tar" "$NODE_ARCHIVE"
  rm -rf "$work"
}

import_base_images() {
  docker import "$DEBIAN_ARCHIVE" "$DEBIAN_IMAGE" >/dev/null &&
    docker import --change 'CMD ["node"]' \
      --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' "$NODE_ARCHIVE" "$NODE_IMAGE" >/dev/null
}

# What the engine will change on this machine, as it was before.
remember_network() {
  HAD_BRIDGE=no HAD_RULES=no
  ip link show "$BRIDGE" >/dev/null 2>&1 && HAD_BRIDGE=yes
  iptables-save 2>/dev/null | grep -q '^:DOCKER' && HAD_RULES=yes
  FORWARD_POLICY="$(iptables -S FORWARD 2>/dev/null | awk '$1 == "-P" { print $3 }')"
  IP_FORWARD="$(cat /proc/sys/net/ipv4/ip_forward)"
}

remove_rules() {
  local table rule option chain
  for table in nat filter; do
    iptables-save -t "$table" | grep '^-A.*\(DOCKER\|docker0\)' | sed 's/^-A/-D/' |
      while read -r rule; do eval "iptables -w -t $table $rule" 2>/dev/null || true; done
    # Emptied first, then removed: they name one another.
    for option in -F -X; do
      for chain in $(iptables-save -t "$table" | sed -n 's/^:\(DOCKER[^ ]*\) .*/\1/p'); do
        iptables -w -t "$table" "$option" "$chain" || true
      done
    done
  done
  [ -z "$FORWARD_POLICY" ] || iptables -w -P FORWARD "$FORWARD_POLICY"
}

start_engine() {
  remember_network
  export DOCKER_HOST="unix://$RUN/docker.sock" DOCKER_CONFIG="$RUN/client"
  mkdir -p "$DOCKER_CONFIG/cli-plugins"
  ln -s "$CACHE/cli-plugins/docker-compose" "$DOCKER_CONFIG/cli-plugins/"
  setsid dockerd --data-root "$RUN/data" --exec-root "$RUN/exec" -H "$DOCKER_HOST" --pidfile "$RUN/dockerd.pid" \
    --containerd-namespace "tilld-$$" --containerd-plugins-namespace "tilld-$$-plugins" \
    >"$RUN/dockerd.log" 2>&1 </dev/null &
  ENGINE_PID=$!
  local waited
  for ((waited = 0; waited < START_SECONDS * 5; waited++)); do
    docker version >/dev/null 2>&1 && return 0
    kill -0 "$ENGINE_PID" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 15 "$RUN/dockerd.log" >&2
  return 1
}

stop_engine() {
  local waited containers mount
  [ -z "${COMMAND_PID:-}" ] || kill -TERM "$COMMAND_PID" 2>/dev/null || true
  if [ -n "${ENGINE_PID:-}" ] && kill -0 "$ENGINE_PID" 2>/dev/null; then
    containers="$(timeout 30 docker ps -aq 2>/dev/null || true)"
    [ -z "$containers" ] || timeout 60 docker rm -f $containers >/dev/null 2>&1 || true
    timeout 60 docker network prune -f >/dev/null 2>&1 || true
    kill -TERM "$ENGINE_PID"
    for ((waited = 0; waited < STOP_SECONDS * 5; waited++)); do
      kill -0 "$ENGINE_PID" 2>/dev/null || break
      sleep 0.2
    done
    kill -KILL "$ENGINE_PID" 2>/dev/null || true
    [ "$HAD_RULES" = yes ] || remove_rules
    [ "$HAD_BRIDGE" = yes ] || ip link delete "$BRIDGE" 2>/dev/null || true
    echo "$IP_FORWARD" >/proc/sys/net/ipv4/ip_forward || true
  fi
  while read -r mount; do umount -l "$mount" 2>/dev/null || true; done < <(awk -v run="$RUN/" 'index($2, run) == 1 { print $2 }' /proc/mounts | sort -r)
  rm -rf "$RUN"
}

[ "$#" -gt 0 ] || die "which command?"
[ "$(id -u)" = 0 ] || die "a Docker engine of our own needs root"
mkdir -p "$CACHE"
exec {lock}>"$CACHE/.lock"
flock -w 1800 "$lock" || die "another run holds $CACHE/.lock"
ensure_packages
install_packages || die "the packages could not be installed"
bring_compose || die "Compose could not be brought"
make_base_archives || die "the base images could not be made"
RUN="$(mktemp -d "${TMPDIR:-/tmp}/tilld-engine-XXXXXX")"
trap stop_engine EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start_engine || die "the engine did not start"
import_base_images || die "the base images could not be imported"
note "$(docker version --format 'Docker {{.Server.Version}}'), $(docker compose version)"
# In the background, so that a signal ends this script at once and not only after the command.
"$@" {lock}>&- &
COMMAND_PID=$!
status=0
wait "$COMMAND_PID" || status=$?
exit "$status"
