import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ApiClient } from './api-client.ts';
import { install, layOutRelease } from './installed.ts';
import { freePort } from './nodes/proc.ts';
import { eventually } from './poll.ts';

const PASSPHRASE = 'a passphrase of the operator';
/** The migration that releases with a newer schema add. */
export const MIGRATION = '0999-later';

export interface Result {
  readonly code: number | null;
  readonly output: string;
}

/** What a release does differently from the present sources. */
export interface Differences {
  /** It has one more migration. */
  readonly migrates?: boolean;
  /** It migrates, and ends before it listens. */
  readonly neverListens?: boolean;
  /** It migrates and serves, but one of its chains never is in sync. */
  readonly neverReady?: boolean;
}

interface Unpacked {
  readonly env: Readonly<Record<string, string>>;
  readonly signers: string;
}

/** An installation with releases side by side, whose service is a script; and archives of other releases. */
export class UpdateWorld {
  readonly dir = mkdtempSync('/var/tmp/tilld-update-');
  readonly root = join(this.dir, 'opt');
  readonly dataDir = join(this.dir, 'data');
  readonly #build: string;
  readonly #settings: Readonly<Record<string, string>>;
  #port = 0;

  private constructor(build: string, settings: Readonly<Record<string, string>>) {
    this.#build = build;
    this.#settings = settings;
  }

  static async create(build: string, version: string): Promise<UpdateWorld> {
    const world = new UpdateWorld(build, {});
    await world.#prepare();
    install(world.root, build, version);
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      '',
      '-C',
      'release',
      '-f',
      join(world.dir, 'key'),
    ]);
    writeFileSync(join(world.dir, 'signers'), `release ${readFileSync(join(world.dir, 'key.pub'), 'utf8')}`);
    return world;
  }

  /** An installation of a real archive, with further settings; `signers` has the key of later ones. */
  static async unpack(archive: string, version: string, options: Unpacked): Promise<UpdateWorld> {
    const world = new UpdateWorld('', options.env);
    await world.#prepare();
    const releases = join(world.root, 'releases');
    mkdirSync(releases, { recursive: true });
    execFileSync('tar', ['-xzf', archive, '-C', releases]);
    renameSync(join(releases, basename(archive, '.tar.gz')), join(releases, version));
    symlinkSync(join('releases', version), join(world.root, 'current'));
    cpSync(options.signers, join(world.dir, 'signers'));
    return world;
  }

  async #prepare(): Promise<void> {
    this.#port = await freePort();
    mkdirSync(this.dataDir, { mode: 0o700 });
    writeFileSync(join(this.dir, 'service'), SERVICE, { mode: 0o755 });
  }

  get env(): Record<string, string> {
    return {
      PATH: '/usr/bin:/bin',
      TILLD_CONFIG: resolve('test/_helpers/till.yaml'),
      TILLD_DATA_DIR: this.dataDir,
      TILLD_PORT: String(this.#port),
      TILLD_KEYRING_PASSPHRASE: PASSPHRASE,
      TILLCTL_SERVICE: join(this.dir, 'service'),
      ...this.#settings,
    };
  }

  get api(): ApiClient {
    return new ApiClient(`http://127.0.0.1:${this.#port}`);
  }

  get current(): string {
    return basename(readlinkSync(join(this.root, 'current')));
  }

  /** An archive of a release as `scripts/release` makes it, without its packages. */
  archive(version: string, differences: Differences = {}): string {
    const folder = mkdtempSync(join(this.dir, 'release-'));
    const name = `tilld-${version}-${process.platform}-${process.arch}`;
    layOutRelease(join(folder, name), this.#build, version);
    const dist = join(folder, name, 'dist');
    if (Object.values(differences).includes(true)) addMigration(dist);
    if (differences.neverListens === true) setVariable(dist, 'TILLD_HOST', '203.0.113.1');
    if (differences.neverReady === true) {
      setVariable(dist, 'TILLD_NETWORK', 'regtest');
      setVariable(dist, 'TILLD_BTC_RPC_URL', 'http://127.0.0.1:9');
    }
    const archive = `${name}.tar.gz`;
    execFileSync('tar', ['-czf', join(folder, archive), '-C', folder, name]);
    rmSync(join(folder, name), { recursive: true });
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, archive)))
      .digest('hex');
    writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  ${archive}\n`);
    const words = ['-q', '-Y', 'sign', '-f', join(this.dir, 'key'), '-n', 'tilld-release', 'SHA256SUMS'];
    execFileSync('ssh-keygen', words, { cwd: folder, stdio: 'ignore' });
    return join(folder, archive);
  }

  /** Runs tillctl of the current release. */
  async tillctl(...args: readonly string[]): Promise<Result> {
    return new Promise((done) => {
      execFile(
        join(this.root, 'current/bin/tillctl'),
        args,
        { env: this.env, encoding: 'utf8' },
        (error, out, err) => done({ code: error === null ? 0 : Number(error.code), output: `${out}${err}` }),
      );
    });
  }

  async update(archive: string, ...options: readonly string[]): Promise<Result> {
    return this.tillctl('update', archive, '--signers', join(this.dir, 'signers'), ...options);
  }

  /** Starts an update in a process group of its own, which a kill ends with all of its children. */
  startUpdate(archive: string, ...options: readonly string[]): ChildProcess {
    const args = ['update', archive, '--signers', join(this.dir, 'signers'), ...options];
    return spawn(join(this.root, 'current/bin/tillctl'), args, {
      env: this.env,
      detached: true,
      stdio: 'ignore',
    });
  }

  /** Starts a rollback in a process group of its own; its output grows as it runs. */
  startRollback(...options: readonly string[]): { child: ChildProcess; output: () => string } {
    let output = '';
    const child = spawn(join(this.root, 'current/bin/tillctl'), ['rollback', '--yes', ...options], {
      env: this.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    return { child, output: () => output };
  }

  /** Whether the service is started, and not ended since. */
  get isStarted(): boolean {
    return existsSync(join(this.dir, 'pid'));
  }

  get journal(): string {
    const journal = join(this.root, 'update.json');
    return existsSync(journal) ? readFileSync(journal, 'utf8') : '';
  }

  /** Runs a script (ESM) whenever the service has stopped, until it is removed: what it writes, the daemon wrote last. */
  whenStopped(source: string): { remove: () => void } {
    const file = join(this.dir, 'when-stopped');
    writeFileSync(file, `#!${process.execPath}\n${source}`, { mode: 0o755 });
    return { remove: () => rmSync(file) };
  }

  service(action: 'start' | 'stop'): void {
    execFileSync(join(this.dir, 'service'), [action], { env: this.env, stdio: 'ignore' });
  }

  /** Waits until the daemon responds; its version. */
  async responds(): Promise<string> {
    const ask = async (): Promise<string | null> =>
      fetch(`${this.api.baseUrl}/healthz`)
        .then(async (response) => ((await response.json()) as { data: { version: string } }).data.version)
        .catch(() => null);
    return (await eventually('the daemon responds', ask, (version) => version !== null)) ?? '';
  }

  async ready(): Promise<void> {
    const ask = async (): Promise<boolean> =>
      fetch(`${this.api.baseUrl}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually('the daemon is ready', ask, Boolean);
  }

  /** Whether a step of an update is reached, as its files show. */
  isReached(step: Step): boolean {
    const state = this.journal;
    const isUpdating = state.includes('"updating"');
    const isReached: Record<Step, () => boolean> = {
      unpacking: () => readdirSync(join(this.root, 'releases')).some((name) => name.startsWith('.new-')),
      trying: () => existsSync(join(this.dataDir, 'update.tmp', 'tilld.sqlite')),
      'backing up': () => existsSync(join(this.dataDir, 'backup.tmp')),
      stopping: () => isUpdating,
      'keeping the database': () =>
        isUpdating && existsSync(join(this.dataDir, `tilld.sqlite.before-${MIGRATION}`)),
      'switching back': () => state.includes('"switching-back"'),
      switched: () => isUpdating && /"stoppedAt": \d/.test(state),
    };
    return isReached[step]();
  }

  end(): void {
    this.service('stop');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export const STEPS = [
  'unpacking',
  'trying',
  'backing up',
  'stopping',
  'keeping the database',
  'switched',
] as const;
export type Step = (typeof STEPS)[number] | 'switching back';

/**
 * A service without systemd: the current release, its process id in a file. As with systemd, a stop that has begun
 * ends the process even if its caller is killed, and a start waits for that end.
 */
const SERVICE = `#!/bin/sh
here="$(dirname "$0")"
pid="$(cat "$here/pid" 2>/dev/null)"
runs() { [ -n "$pid" ] && grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null; }
finish_stop() {
  ! runs || kill "$pid" 2>/dev/null
  while runs; do sleep 0.1; done
  rm -f "$here/pid" "$here/stopping"
}
case "$1" in
  stop)
    : >"$here/stopping"
    finish_stop
    [ ! -x "$here/when-stopped" ] || "$here/when-stopped" || exit 1
    ;;
  start)
    [ ! -e "$here/stopping" ] || finish_stop
    ! runs || exit 0
    rm -f "$here/pid"
    setsid sh -c 'echo $$ >"$1/pid"; exec "$1/opt/current/bin/tilld"' sh "$here" >>"$here/log" 2>&1 &
    while [ ! -s "$here/pid" ]; do sleep 0.05; done
    ;;
esac
exit 0
`;

/** Patches a build: one more migration. */
function addMigration(dist: string): void {
  const known = /(const MIGRATIONS = \{[^}]*?) ?\}/;
  const later = `"${MIGRATION}": { up: async (db) => { await db.schema.createTable("of_a_later_release").addColumn("id", "text").execute(); } }`;
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const changed = files.filter((name) => known.test(readFileSync(join(dist, name), 'utf8')));
  if (changed.length === 0) throw new Error('the build has no table of migrations');
  for (const name of changed) {
    const text = readFileSync(join(dist, name), 'utf8');
    writeFileSync(join(dist, name), text.replace(known, `$1, ${later} }`));
  }
}

/** Patches a build: its daemon has another setting. */
function setVariable(dist: string, name: string, value: string): void {
  const main = join(dist, 'main.js');
  writeFileSync(main, `process.env.${name} = '${value}';\n${readFileSync(main, 'utf8')}`);
}
