/** Places for a replica, as a merchant may have them: a folder, an SFTP server (Debian's) and an S3 server. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import account from '@20minutes/s3rver/lib/models/account.js';
import { freePort } from './nodes/proc.ts';
import { eventually } from './poll.ts';
import type { Env } from './till.ts';

export interface ReplicaPlace {
  readonly url: string;
  /** Settings beside its URL. */
  readonly env: Env;
  /** What nobody but the operator may read. */
  readonly secrets: readonly string[];
  /** Out of reach from now on. */
  leave(): Promise<void>;
  /** Removes everything. */
  end(): Promise<void>;
}

export type PlaceKind = 'a folder' | 'an SFTP server' | 'an S3 server';

export const PLACE_KINDS: readonly PlaceKind[] = ['a folder', 'an SFTP server', 'an S3 server'];

export async function openPlace(kind: PlaceKind): Promise<ReplicaPlace> {
  const dir = mkdtempSync(join(tmpdir(), 'till-place-'));
  if (kind === 'a folder') return folder(dir);
  return kind === 'an SFTP server' ? SftpPlace.open(dir) : s3Server(dir);
}

function folder(dir: string): ReplicaPlace {
  const replica = join(dir, 'replica');
  return {
    url: replica,
    env: {},
    secrets: [],
    leave: async () => renameSync(replica, `${replica}-elsewhere`),
    end: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

const BUCKET = 'bucket';

async function s3Server(dir: string): Promise<ReplicaPlace> {
  const [id, secret] = [`id${randomBytes(8).toString('hex')}`, randomBytes(20).toString('hex')];
  account.DUMMY_ACCOUNT.createKeyPair(id, secret);
  const port = await freePort();
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory: dir,
    configureBuckets: [{ name: BUCKET }],
  });
  groupByFolder(server);
  await server.run();
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  return {
    url: `s3://${BUCKET}/tilld/replica`,
    env: {
      TILLD_REPLICA_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      LITESTREAM_ACCESS_KEY_ID: id,
      LITESTREAM_SECRET_ACCESS_KEY: secret,
    },
    secrets: [secret],
    leave: close,
    end: async () => {
      await close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** S3 names the folders below a prefix; this server leaves out those that hold nothing but folders. */
function groupByFolder({ store }: S3rver): void {
  const listAll = store.listObjects.bind(store);
  store.listObjects = async (bucket, { delimiter = '', prefix = '', ...options }) => {
    const { objects, isTruncated } = await listAll(bucket, { ...options, prefix });
    const folderOf = (key: string): string | null => {
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return end === -1 ? null : key.slice(0, end + delimiter.length);
    };
    const folders = objects.map(({ key }) => folderOf(key)).filter((name) => name !== null);
    return {
      objects: objects.filter(({ key }) => folderOf(key) === null),
      commonPrefixes: [...new Set(folders)].toSorted(),
      isTruncated,
    };
  };
}

const SSHD = '/usr/sbin/sshd';
/** An account of every Debian without rights: the server needs none, so a test that runs as root gives it none. */
const UNPRIVILEGED = { uid: 1, gid: 1, username: 'daemon' };

/** OpenSSH's own server on a port of this machine, with keys of its own. */
export class SftpPlace implements ReplicaPlace {
  readonly url: string;
  readonly env: Env;
  readonly secrets: readonly string[] = [];
  readonly #dir: string;
  readonly #server: ChildProcess;
  #log = '';

  private constructor(dir: string, port: number) {
    const { uid, gid, username } = userInfo().uid === 0 ? UNPRIVILEGED : userInfo();
    this.#dir = dir;
    this.url = `sftp://${username}@127.0.0.1:${port}${dir}/replica`;
    this.env = {
      TILLD_REPLICA_SSH_KEY_FILE: join(dir, 'client-key'),
      TILLD_REPLICA_KNOWN_HOSTS_FILE: join(dir, 'known-hosts'),
    };
    prepareServer(dir, port);
    for (const name of ['', ...readdirSync(dir)]) chownSync(join(dir, name), uid, gid);
    const args = ['-D', '-e', '-f', join(dir, 'config')];
    this.#server = spawn(SSHD, args, { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
    this.#server.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.#log += text));
  }

  static async open(dir = mkdtempSync(join(tmpdir(), 'till-place-'))): Promise<SftpPlace> {
    if (!existsSync(SSHD)) throw new Error(`${SSHD} is missing: install Debian's openssh-server`);
    const port = await freePort();
    const place = new SftpPlace(dir, port);
    const keys = await eventually(
      'the SFTP server answers',
      () => spawnSync('ssh-keyscan', ['-p', String(port), '127.0.0.1']).stdout.toString(),
      (text) => text.includes('ssh-ed25519') && text.includes('ecdsa'),
    ).catch(async (error: unknown) => {
      await place.end();
      throw error;
    });
    writeFileSync(join(dir, 'known-hosts'), keys);
    return place;
  }

  /** What the server says of those that connect. */
  get log(): string {
    return this.#log;
  }

  async leave(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const gone = once(this.#server, 'exit');
    this.#server.kill('SIGKILL');
    await gone;
  }

  async end(): Promise<void> {
    await this.leave();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function prepareServer(dir: string, port: number): void {
  mkdirSync(join(dir, 'replica'));
  for (const [file, type] of [
    ['host-ed25519', 'ed25519'],
    ['host-ecdsa', 'ecdsa'],
    ['client-key', 'ed25519'],
  ] as const)
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', join(dir, file)]);
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${dir}/host-ed25519`,
    `HostKey ${dir}/host-ecdsa`,
    `AuthorizedKeysFile ${dir}/client-key.pub`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'Subsystem sftp internal-sftp',
    'ForceCommand internal-sftp',
    'MaxStartups 100',
    'LogLevel VERBOSE',
  ];
  writeFileSync(join(dir, 'config'), `${config.join('\n')}\n`);
}
