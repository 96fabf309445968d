import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type SFTPWrapper } from 'ssh2';
import { parseKnownHosts } from '../host-key-check.ts';
import { ReplicaError } from '../litestream-process.ts';
import type { ReplicaTarget } from '../litestream.ts';
import type { ReplicaFiles } from './replica-files.ts';

const SSH_PORT = 22;
const CONNECT_TIMEOUT_MS = 15_000;
const KEEPALIVE_MS = 10_000;
const ANSWER_LIMIT_MS = 60_000;
/** `SSH_FX_NO_SUCH_FILE` of draft-ietf-secsh-filexfer-02, section 7. */
const NO_SUCH_FILE = 2;

/** A replica on an SFTP server whose host key is known. */
export class SftpFiles implements ReplicaFiles {
  readonly #client: Client;
  readonly #sftp: SFTPWrapper;
  readonly #root: string;

  private constructor(client: Client, sftp: SFTPWrapper, root: string) {
    this.#client = client;
    this.#sftp = sftp;
    this.#root = root;
  }

  /** @throws {ReplicaError} when the server does not answer or has another host key */
  static async open({ url, sshKeyFile, knownHostsFile }: ReplicaTarget): Promise<SftpFiles> {
    if (knownHostsFile === null) throw new ReplicaError('the host key of the SFTP server is not known');
    const { hostname, port, username, password, pathname } = new URL(url.reveal());
    const known = parseKnownHosts(readFileSync(knownHostsFile, 'utf8'));
    const client = new Client();
    client.connect({
      host: hostname.replaceAll(/^\[|\]$/g, ''),
      port: port === '' ? SSH_PORT : Number(port),
      username: decodeURIComponent(username),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(sshKeyFile === null ? {} : { privateKey: readFileSync(sshKeyFile) }),
      hostVerifier: (key: Buffer) => known.has(key.toString('base64')),
      readyTimeout: CONNECT_TIMEOUT_MS,
      keepaliveInterval: KEEPALIVE_MS,
    });
    try {
      await once(client, 'ready');
      // An error later on ends what waits for an answer, and the next call fails.
      client.on('error', () => undefined);
      const sftp = await answerOf<SFTPWrapper>((done) => client.sftp(done));
      return new SftpFiles(client, sftp, pathname.replace(/\/+$/, ''));
    } catch (cause) {
      client.destroy();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ReplicaError(`the SFTP server cannot be read: ${why}`, { cause });
    }
  }

  async list(folder: string, after = ''): Promise<string[]> {
    const found = await this.#ask<{ filename: string }[]>((done) =>
      this.#sftp.readdir(`${this.#root}/${folder}`, done),
    );
    const names = (found ?? []).map(({ filename }) => filename);
    return names.filter((name) => name > after).toSorted();
  }

  async read(path: string): Promise<Buffer | null> {
    return this.#ask<Buffer>((done) => this.#sftp.readFile(`${this.#root}/${path}`, done));
  }

  close(): void {
    this.#client.end();
  }

  /** What the server answers; null where there is no such file. */
  async #ask<T>(call: (done: Done<T>) => void): Promise<T | null> {
    const answered = new AbortController();
    const { signal } = answered;
    const failures = [
      once(this.#client, 'close', { signal }).then(() => 'the SFTP server closed the connection'),
      pause(ANSWER_LIMIT_MS, `no answer from the SFTP server within ${ANSWER_LIMIT_MS} ms`, { signal }),
    ].map(async (failure) =>
      failure.then((why) => {
        throw new ReplicaError(why);
      }),
    );
    for (const failure of failures) failure.catch(() => undefined);
    try {
      return await Promise.race([answerOf(call), ...failures]);
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_SUCH_FILE) return null;
      throw error;
    } finally {
      answered.abort();
    }
  }
}

type Done<T> = (error: Error | undefined | null, value: T) => void;

async function answerOf<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error instanceof Error ? reject(error) : resolve(value)));
  });
}
