#!/usr/bin/env bash
# Installs the release that it is part of as a systemd service, and removes it again. See --help.
# It does nothing before its last lines: what is cut off does nothing, and uninstall may remove the file.
set -euo pipefail
umask 022

usage() {
  cat <<'HELP'
Installs this release of tilld as a service. A second run changes nothing.

  ./install.sh [--dry-run] [--domain NAME] [--proxy caddy|nginx|none] [--signers FILE] [--root DIR]
  ./install.sh uninstall [--dry-run] [--purge] [--root DIR]

  --domain NAME    the name that customers see, such as pay.example.com; its DNS record points to this machine
  --proxy KIND     the reverse proxy to configure; by default the one that is installed, Caddy first
  --signers FILE   allowed_signers of the project: checks the signature of SHA256SUMS beside the archive
  --dry-run        shows every change and makes none
  --root DIR       only the files, below DIR, for an image: no user, no owners, nothing is started
  --purge          also deletes settings, keys and data; asks for confirmation

It creates the user tilld, /opt/tilld/releases/VERSION and /opt/tilld/current, /usr/local/bin/tillctl, /etc/tilld
(settings and secrets, which it never overwrites), /var/lib/tilld, and the units. uninstall keeps /etc/tilld,
/var/lib/tilld and the user.
HELP
}

HERE="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)"
ACTION=install DRY=false PURGE=false DOMAIN='' PROXY='' SIGNERS='' R=''
PROGRAM=/opt/tilld SETTINGS=/etc/tilld DATA=/var/lib/tilld UNITS=/etc/systemd/system
WANTED="$UNITS/multi-user.target.wants/tilld.service"
CHANGES=0
NOTES=()

die() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
note() { NOTES+=("$*"); }

# change TEXT: counts and prints a change; false under --dry-run, when it must not be made.
change() {
  CHANGES=$((CHANGES + 1))
  printf '  %s\n' "$1"
  [ "$DRY" = false ]
}

# Mode and owner of a path; the mode alone where owners are left to the caller.
state() { if [ -n "$R" ]; then stat -c %a "$R$1"; else stat -c '%a %U:%G' "$1"; fi; }
wanted_state() { if [ -n "$R" ]; then echo "$1"; else echo "$1 $2"; fi; }
set_state() {
  chmod "$2" "$1"
  [ -n "$R" ] || chown "$3" "$1"
}

# ensure_directory PATH MODE OWNER:GROUP
ensure_directory() {
  if [ -d "$R$1" ] && [ "$(state "$1")" = "$(wanted_state "$2" "$3")" ]; then return 0; fi
  change "directory $1 (mode $2, $3)" || return 0
  mkdir -p "$R$1"
  set_state "$R$1" "$2" "$3"
}

# ensure_file PATH MODE OWNER:GROUP replace|keep TEXT: `keep` leaves the text of an existing file as it is.
ensure_file() {
  local path="$1" mode="$2" owner="$3" policy="$4" text="$5" new
  if [ -f "$R$path" ] && { [ "$policy" = keep ] || [ "$(cat "$R$path")" = "$text" ]; }; then
    [ "$(state "$path")" = "$(wanted_state "$mode" "$owner")" ] && return 0
    change "mode and owner of $path ($mode, $owner)" || return 0
    set_state "$R$path" "$mode" "$owner"
    return 0
  fi
  change "file $path (mode $mode, $owner)" || return 0
  mkdir -p "$(dirname "$R$path")"
  new="$(mktemp "$R$path.new-XXXXXX")"
  set_state "$new" "$mode" "$owner"
  printf '%s\n' "$text" >"$new"
  mv -T "$new" "$R$path"
}

# ensure_link PATH TARGET
ensure_link() {
  [ "$(readlink "$R$1" 2>/dev/null)" = "$2" ] && return 0
  change "link $1 -> $2" || return 0
  mkdir -p "$(dirname "$R$1")"
  ln -sfn "$2" "$R$1"
}

# ---------------------------------------------------------------- what is checked first

# Every file against MANIFEST.sha256; the manifest against the archive, the archive against SHA256SUMS and this against
# its signature, as far as they are in the parent directory. The manifest alone proves only that nothing is damaged.
verify_release() {
  local folder archive signers="${SIGNERS:-$SETTINGS/allowed_signers}"
  (cd "$HERE" && sha256sum --check --strict --quiet MANIFEST.sha256) || die "files of $HERE differ from MANIFEST.sha256: unpack the archive again"
  echo "verified: every file against MANIFEST.sha256"
  folder="$(dirname "$HERE")" archive="$(basename "$HERE").tar.gz"
  if [ ! -f "$folder/$archive" ] || [ ! -f "$folder/SHA256SUMS" ]; then
    echo "not verified: $archive, because it is not in the parent directory with SHA256SUMS"
    return 0
  fi
  (cd "$folder" && grep "  $archive\$" SHA256SUMS | sha256sum --check --strict --quiet -) || die "$archive differs from SHA256SUMS: download it again"
  tar -xOzf "$folder/$archive" "$(basename "$HERE")/MANIFEST.sha256" | cmp -s - "$HERE/MANIFEST.sha256" || die "$HERE was not unpacked from $archive"
  echo "verified: $archive against SHA256SUMS"
  if [ ! -f "$signers" ] || [ ! -f "$folder/SHA256SUMS.sig" ] || ! command -v ssh-keygen >/dev/null; then
    echo "not verified: the signature; that takes SHA256SUMS.sig beside the archive, --signers FILE, and ssh-keygen"
    return 0
  fi
  ssh-keygen -Y verify -f "$signers" -I release -n tilld-release -s "$folder/SHA256SUMS.sig" <"$folder/SHA256SUMS" >/dev/null ||
    die "the signature of SHA256SUMS is not by a key of $signers"
  echo "verified: the signature of SHA256SUMS by $signers"
}

check_machine() {
  [ -n "$R" ] || [ "$DRY" = true ] || [ "$(id -u)" = 0 ] || die "this needs root: run it by sudo"
  "$HERE/node_modules/.bin/node" -e 0 2>/dev/null || die "the Node of this release does not run here: it is for $(basename "$HERE"), this machine is $(uname -sm)"
  VERSION="$("$HERE/node_modules/.bin/node" -p 'require(process.argv[1]).version' "$HERE/package.json")"
  [ ! -e "$R$PROGRAM/dist" ] || die "$PROGRAM holds a release without the folder releases: move it away (its settings and data stay)"
  local installed
  installed="$(readlink "$R$PROGRAM/current" 2>/dev/null || true)"
  [ -z "$installed" ] || [ "$installed" = "releases/$VERSION" ] ||
    die "${installed#releases/} is installed: update it with tillctl update ARCHIVE, which can also roll back"
  [[ "$DOMAIN" =~ ^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$|^$ ]] || die "--domain is a name such as pay.example.com, not $DOMAIN"
  [ ! -f "$R$DATA/keyring.json" ] || [ -f "$R$SETTINGS/passphrase" ] || [ -f "$R$SETTINGS/passphrase.cred" ] ||
    die "$DATA has a keyring of an earlier installation: put its passphrase into $SETTINGS/passphrase first"
  is_running || port_is_free 3000 || die "another program listens on port 3000"
  is_running || port_is_free 3001 || die "another program listens on port 3001"
}

has_systemd() { [ -z "$R" ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null; }
is_running() { has_systemd && systemctl is-active --quiet tilld; }
# A machine for which an image is made has other ports than this one.
port_is_free() { [ -n "$R" ] || ! has_systemd || ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# ---------------------------------------------------------------- program, user, settings

ensure_user() {
  [ -z "$R" ] || return 0
  getent passwd tilld >/dev/null && return 0
  change "user and group tilld" || return 0
  useradd --system --user-group --no-create-home --home-dir "$DATA" --shell /usr/sbin/nologin tilld
}

ensure_program() {
  local release="$PROGRAM/releases/$VERSION" new
  ensure_directory "$PROGRAM" 755 root:root
  ensure_directory "$PROGRAM/releases" 755 root:root
  if ! cmp -s "$HERE/MANIFEST.sha256" "$R$release/MANIFEST.sha256"; then
    [ ! -e "$R$release" ] || die "$release is another build of $VERSION: remove it, or update with tillctl"
    if change "directory $release, a copy of $HERE"; then
      new="$(mktemp -d "$R$PROGRAM/releases/.new-XXXXXX")"
      cp -R --preserve=mode,timestamps,links "$HERE/." "$new/"
      [ -n "$R" ] || chown -R root:root "$new"
      chmod 755 "$new"
      mv -T "$new" "$R$release"
    fi
  elif ! (cd "$R$release" && sha256sum --check --strict --quiet MANIFEST.sha256); then
    die "files of $release were changed: move it away and run this again"
  fi
  ensure_link "$PROGRAM/current" "releases/$VERSION"
  ensure_link /usr/local/bin/tillctl "$PROGRAM/current/bin/tillctl"
}

# find_node BTC bitcoin 8332: prints coin, address and cookie file of a node that runs as a service of this machine. The
# unit cannot read home directories.
find_node() {
  local coin="$1" name="$2" port="$3" cookie
  for cookie in "/var/lib/${name}d/.cookie" "/var/lib/$name/.cookie" "/run/${name}d/.cookie" "/var/lib/${name}d/.$name/.cookie"; do
    [ -f "$R$cookie" ] || continue
    printf '%s http://127.0.0.1:%s %s\n' "$coin" "$port" "$cookie"
    return 0
  done
}

# Settings that the machine answers: the lines of config/mainnet.yaml name their variables.
fill_settings() {
  local edits=(-e "/# TILLD_BACKUP_SCHEDULE/s|schedule: off|schedule: '30 3 * * *'|") coin url cookie
  if [ -n "$DOMAIN" ]; then
    edits+=(-e "/# TILLD_BASE_URL/s|baseUrl:|baseUrl: https://$DOMAIN|" -e "s|trustProxy: off|trustProxy: on|")
  fi
  while read -r coin url cookie; do
    edits+=(-e "/# TILLD_${coin}_RPC_URL,/s|rpcUrl:|rpcUrl: $url|" -e "/# TILLD_${coin}_COOKIE_FILE/s|cookieFile:|cookieFile: $cookie|")
  done < <(find_node BTC bitcoin 8332 && find_node LTC litecoin 9332)
  sed "${edits[@]}" "$HERE/config/mainnet.yaml"
}

# A cookie that its node gives to a group is readable once tilld is in that group.
join_cookie_groups() {
  local url cookie group
  [ -z "$R" ] || return 0
  while read -r _ url cookie; do
    group="$(stat -c %G "$cookie")"
    if [ "$(stat -c %A "$cookie" | cut -c 5)" != r ]; then
      note "The user tilld cannot read $cookie of the node at $url: start that node with -rpccookieperms=group (Bitcoin 28 and later), or put an address with the user and password of an rpcauth into $SETTINGS/secrets.env, and empty cookieFile."
    elif ! id -nG tilld 2>/dev/null | tr ' ' '\n' | grep -qx "$group"; then
      change "user tilld into the group $group, which reads $cookie" || continue
      usermod -aG "$group" tilld
    fi
  done < <(find_node BTC bitcoin 8332 && find_node LTC litecoin 9332)
}

ensure_settings() {
  local is_new=false
  ensure_directory "$SETTINGS" 755 root:root
  [ -f "$R$SETTINGS/tilld.yaml" ] || is_new=true
  ensure_file "$SETTINGS/tilld.yaml" 644 root:root keep "$(fill_settings)"
  if [ "$is_new" = false ] && [ -n "$DOMAIN" ] && ! grep -q "baseUrl: https://$DOMAIN\b" "$R$SETTINGS/tilld.yaml"; then
    note "$SETTINGS/tilld.yaml is kept; its http.baseUrl is not https://$DOMAIN."
  fi
  # passphrase.cred: encrypted by systemd-creds (docs/production.md).
  [ -f "$R$SETTINGS/passphrase.cred" ] ||
    ensure_file "$SETTINGS/passphrase" 600 root:root keep "$(head -c 32 /dev/urandom | base64)"
  ensure_file "$SETTINGS/secrets.env" 600 root:root keep "# Secrets of tilld.service and tilld-replica.service, NAME=value; systemctl restart tilld reads them.
#TILLD_BTC_RPC_URL=http://user:password@127.0.0.1:8332
#TILLD_LTC_RPC_URL=http://user:password@127.0.0.1:9332
#TILLD_ETH_RPC_URL=https://eth.example.com/key
#TILLD_SOL_RPC_URL=https://sol.example.com/key
#TILLD_SMTP_URL=smtps://user:password@mail.example.com"
  if [ -n "$SIGNERS" ]; then ensure_file "$SETTINGS/allowed_signers" 644 root:root replace "$(cat "$SIGNERS")"; fi
  ensure_directory "$DATA" 700 tilld:tilld
  join_cookie_groups
}

ensure_units() {
  local unit
  for unit in tilld.service tilld-replica.service; do
    ensure_file "$UNITS/$unit" 644 root:root replace "$(cat "$HERE/config/$unit")"
  done
  ensure_link "$WANTED" "$UNITS/tilld.service"
}

# ---------------------------------------------------------------- the reverse proxy

find_proxy() {
  if [ -n "$PROXY" ]; then return 0; fi
  if [ -f "$R/etc/caddy/Caddyfile" ]; then PROXY=caddy; elif [ -d "$R/etc/nginx/sites-enabled" ]; then PROXY=nginx; else PROXY=none; fi
}

fill_domain() { sed "s|pay\.example\.com|$DOMAIN|g" "$HERE/config/$1"; }

# A site of its own, imported by the configuration that is there.
ensure_caddy() {
  local site=/etc/caddy/tilld.caddy main=/etc/caddy/Caddyfile before=$CHANGES
  [ -f "$R$main" ] || die "--proxy caddy: $main does not exist; install Caddy first"
  ensure_file "$site" 644 root:root replace "$(fill_domain tilld.caddy)"
  if ! grep -qx "import $site" "$R$main" && change "line 'import $site' in $main"; then printf '\nimport %s\n' "$site" >>"$R$main"; fi
  reload_proxy "$before" caddy caddy validate --adapter caddyfile --config "$main"
}

ensure_nginx() {
  local site=/etc/nginx/sites-available/tilld before=$CHANGES certificate="/etc/letsencrypt/live/$DOMAIN/fullchain.pem"
  [ -d "$R/etc/nginx/sites-available" ] || die "--proxy nginx: /etc/nginx/sites-available does not exist; install nginx first"
  ensure_file "$site" 644 root:root replace "$(fill_domain tilld.nginx)"
  if [ ! -e "$R$certificate" ]; then
    note "nginx has no certificate at $certificate: get one (certbot certonly --nginx -d $DOMAIN), and run this again; it then enables $site."
    return 0
  fi
  ensure_link /etc/nginx/sites-enabled/tilld "$site"
  reload_proxy "$before" nginx nginx -t
}

# reload_proxy CHANGES_BEFORE UNIT CHECK...: a configuration that its program refuses is not loaded.
reload_proxy() {
  local before="$1" unit="$2"
  shift 2
  if [ "$CHANGES" = "$before" ] || [ "$DRY" = true ] || ! has_systemd; then return 0; fi
  "$@" >/dev/null 2>&1 || { note "$unit refuses its configuration, so it was not reloaded: run '$*'." && return 0; }
  systemctl reload-or-restart "$unit" || note "systemctl reload-or-restart $unit failed."
}

ensure_proxy() {
  find_proxy
  [ -n "$DOMAIN" ] || { note "Customers need an https address: run this again with --domain NAME, then set http.baseUrl and http.trustProxy in $SETTINGS/tilld.yaml." && return 0; }
  case "$PROXY" in
    caddy) ensure_caddy ;;
    nginx) ensure_nginx ;;
    none) note "No reverse proxy is configured: install Caddy (apt install caddy) and run this again, or see docs/production.md." ;;
  esac
}

# ---------------------------------------------------------------- start and end

# Waits until the daemon answers, at most a minute: the unit may wait for the network.
wait_for_daemon() {
  local attempt
  for ((attempt = 0; attempt < 60; attempt++)); do
    "$PROGRAM/current/node_modules/.bin/node" -e 'fetch("http://127.0.0.1:3000/healthz").then(() => process.exit(0), () => process.exit(1))' && return 0
    ! systemctl is-failed --quiet tilld || return 1
    sleep 1
  done
  return 1
}

# Prints where the first account is made, from the log of the running daemon; nothing where there was an account.
registration_url() {
  journalctl --quiet --output=cat "_SYSTEMD_INVOCATION_ID=$(systemctl show -P InvocationID tilld)" | sed -n 's/.*"registerUrl":"\([^"]*\)".*/\1/p' | tail -n 1
}

start_service() {
  local url
  if is_running; then return 0; fi
  if ! has_systemd; then
    note "systemd does not run here: at the next boot it starts tilld. The log of tilld.service then has the address of the first account (registerUrl)."
    return 0
  fi
  echo "starting tilld.service"
  systemctl daemon-reload
  systemctl reset-failed tilld 2>/dev/null || true # It may never have run.
  if ! systemctl start --no-block tilld || ! wait_for_daemon; then
    note "tilld does not answer: journalctl -u tilld says why; after a change of $SETTINGS run systemctl restart tilld."
    return 0
  fi
  url="$(registration_url)"
  if [ -n "$url" ]; then note "Create the first account, which is yours, at $url"; fi
}

install_release() {
  check_machine
  verify_release
  echo "tilld $VERSION:"
  ensure_user
  ensure_program
  ensure_settings
  ensure_units
  ensure_proxy
  if [ "$DRY" = false ] && [ -z "$R" ]; then start_service; fi
  note "Write the passphrase down now, apart from the backups: sudo cat $SETTINGS/passphrase"
  note "Before the first payment: the nodes in $SETTINGS/tilld.yaml and $SETTINGS/secrets.env, then tillctl check-config and tillctl status."
}

remove() {
  local path
  for path in "$@"; do
    if { [ -e "$R$path" ] || [ -L "$R$path" ]; } && change "remove $path"; then rm -rf -- "$R$path"; fi
  done
}

remove_proxy() {
  local main=/etc/caddy/Caddyfile
  remove /etc/caddy/tilld.caddy /etc/nginx/sites-enabled/tilld /etc/nginx/sites-available/tilld
  if [ -f "$R$main" ] && grep -qx 'import /etc/caddy/tilld.caddy' "$R$main" && change "remove the import of tilld from $main"; then
    sed -i '\|^import /etc/caddy/tilld.caddy$|d' "$R$main"
  fi
}

confirm_purge() {
  local answer
  [ "$DRY" = false ] || return 0
  echo "This deletes $SETTINGS and $DATA with the wallet's keys. Without a backup and its passphrase, or the 24 words, the money is gone."
  printf 'Type "delete the keys" to go on: '
  read -r answer || true
  [ "$answer" = "delete the keys" ] || die "nothing was changed"
}

uninstall() {
  [ -n "$R" ] || [ "$DRY" = true ] || [ "$(id -u)" = 0 ] || die "this needs root: run it by sudo"
  if [ "$PURGE" = true ]; then confirm_purge; fi
  if has_systemd && [ "$DRY" = false ]; then systemctl stop tilld tilld-replica 2>/dev/null || true; fi
  remove "$WANTED" "$UNITS/multi-user.target.wants/tilld-replica.service" "$UNITS/tilld.service" "$UNITS/tilld-replica.service"
  if has_systemd && [ "$DRY" = false ]; then systemctl daemon-reload; fi
  remove_proxy
  remove /usr/local/bin/tillctl "$PROGRAM"
  if [ "$PURGE" = false ]; then
    note "Kept: $SETTINGS with the passphrase, $DATA with keys and database, and the user tilld. install.sh of a release takes them up again."
    return 0
  fi
  remove "$SETTINGS" "$DATA"
  if [ -z "$R" ] && getent passwd tilld >/dev/null && change "remove the user tilld"; then userdel tilld; fi
}

main() {
  if [ "${1:-}" = uninstall ] || [ "${1:-}" = install ]; then ACTION="$1" && shift; fi
  while [ $# -gt 0 ]; do
    case "$1" in
      --dry-run) DRY=true ;;
      --purge) PURGE=true ;;
      --domain) DOMAIN="${2:?which name}" && shift ;;
      --proxy) PROXY="${2:?which proxy}" && shift ;;
      --signers) SIGNERS="$(realpath "${2:?which file}")" && shift ;;
      --root) R="$(realpath "${2:?which directory}")" && shift ;;
      -h | --help) usage && exit 0 ;;
      *) usage >&2 && exit 2 ;;
    esac
    shift
  done
  [[ "$PROXY" =~ ^(caddy|nginx|none|)$ ]] || die "--proxy is caddy, nginx or none, not $PROXY"
  if [ "$ACTION" = uninstall ]; then uninstall; else install_release; fi
  if [ "$CHANGES" = 0 ]; then echo "nothing to change"; elif [ "$DRY" = true ]; then echo "$CHANGES changes, none made"; else echo "$CHANGES changes made"; fi
  [ "${#NOTES[@]}" = 0 ] || printf '%s\n' "" "${NOTES[@]/#/- }"
}

main "$@"
exit
