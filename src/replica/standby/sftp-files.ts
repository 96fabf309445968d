import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { parseKnownHosts } from '../host-key-check.ts';
import { ReplicaError } from '../litestream-process.ts';
import type { ReplicaTarget } from '../litestream.ts';
import { namesWanted, type NameFilter, type ReplicaFiles } from './replica-files.ts';

const SSH_PORT = 22;
const CONNECT_TIMEOUT_MS = 15_000;
const KEEPALIVE_MS = 10_000;
/** A WAL segment may have 100 MB and more after Litestream has stood still. */
const ANSWER_LIMIT_MS = 300_000;
/** `SSH_FX_NO_SUCH_FILE` of draft-ietf-secsh-filexfer-02, section 7. */
const NO_SUCH_FILE = 2;

/** A replica on an SFTP server whose host key is known. */
export class SftpFiles implements ReplicaFiles {
  readonly #client: Client;
  readonly #sftp: SFTPWrapper;
  readonly #ended: Promise<never>;
  readonly #root: string;

  private constructor({ client, ended }: Connection, sftp: SFTPWrapper, root: string) {
    this.#client = client;
    this.#ended = ended;
    this.#sftp = sftp;
    this.#root = root;
  }

  /** @throws {ReplicaError} when the server does not answer or has another host key */
  static async open({ url, sshKeyFile, knownHostsFile }: ReplicaTarget): Promise<SftpFiles> {
    if (knownHostsFile === null) throw new ReplicaError('the host key of the SFTP server is not known');
    const connection = newConnection();
    const { client } = connection;
    try {
      const ready = once(client, 'ready');
      client.connect(
        loginOf(url.reveal(), sshKeyFile, parseKnownHosts(readFileSync(knownHostsFile, 'utf8'))),
      );
      await ready;
      const sftp = await answered(connection.ended, async () =>
        answerOf<SFTPWrapper>((done) => client.sftp(done)),
      );
      const root = decodeURIComponent(new URL(url.reveal()).pathname).replace(/\/+$/, '');
      return new SftpFiles(connection, sftp, root);
    } catch (cause) {
      client.destroy();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ReplicaError(`the SFTP server cannot be read: ${why}`, { cause });
    }
  }

  async list(folder: string, only: NameFilter = {}): Promise<string[]> {
    const found = await this.#ask<{ filename: string }[]>((done) =>
      this.#sftp.readdir(`${this.#root}/${folder}`, done),
    );
    return namesWanted(
      (found ?? []).map(({ filename }) => filename),
      only,
    );
  }

  async read(path: string): Promise<Buffer | null> {
    return this.#ask<Buffer>((done) => this.#sftp.readFile(`${this.#root}/${path}`, done));
  }

  close(): void {
    this.#client.end();
  }

  /** What the server answers; null where there is no such file. */
  async #ask<T>(call: (done: Done<T>) => void): Promise<T | null> {
    return answered(this.#ended, async () => answerOf(call)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === NO_SUCH_FILE) return null;
      throw error;
    });
  }
}

function loginOf(url: string, sshKeyFile: string | null, known: ReadonlySet<string>): ConnectConfig {
  const { hostname, port, username, password } = new URL(url);
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? SSH_PORT : Number(port),
    username: decodeURIComponent(username),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(sshKeyFile === null ? {} : { privateKey: readFileSync(sshKeyFile) }),
    hostVerifier: (key: Buffer) => known.has(key.toString('base64')),
    readyTimeout: CONNECT_TIMEOUT_MS,
    keepaliveInterval: KEEPALIVE_MS,
  };
}

interface Connection {
  readonly client: Client;
  /** Fails when the connection ends, and ever after. */
  readonly ended: Promise<never>;
}

function newConnection(): Connection {
  const client = new Client();
  // An error may come more than once.
  client.on('error', () => undefined);
  const ended = once(client, 'close').then(() => {
    throw new ReplicaError('the SFTP server closed the connection');
  });
  ended.catch(() => undefined);
  return { client, ended };
}

/** Waits for an answer as long as the connection lasts. @throws {ReplicaError} when it ends, or nothing comes */
async function answered<T>(ended: Promise<never>, ask: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = pause(ANSWER_LIMIT_MS, undefined, { signal: done.signal }).then(() => {
    throw new ReplicaError(`no answer from the SFTP server within ${ANSWER_LIMIT_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([ask(), ended, late]);
  } finally {
    done.abort();
  }
}

type Done<T> = (error: Error | undefined | null, value: T) => void;

async function answerOf<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error instanceof Error ? reject(error) : resolve(value)));
  });
}
