import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { ReplicaError } from '../litestream-process.ts';
import type { ReplicaTarget } from '../litestream.ts';
import { namesWanted, type NameFilter, type ReplicaFiles } from './replica-files.ts';
import { parseListing, textsIn } from './s3-xml.ts';

/** A WAL segment may have 100 MB and more after Litestream has stood still. */
const TIMEOUT_MS = 300_000;
/** Between attempts at a request that the server could not answer. */
const RETRY_AFTER_MS: readonly number[] = [200, 800, 3_200];
const DEFAULT_REGION = 'us-east-1';

/** A replica in a bucket, read with the credentials that Litestream has. */
export class S3Files implements ReplicaFiles {
  readonly #client: AwsClient;
  readonly #bucketUrl: string;
  readonly #root: string;

  private constructor(client: AwsClient, bucketUrl: string, root: string) {
    this.#client = client;
    this.#bucketUrl = bucketUrl;
    this.#root = root;
  }

  /** @throws {ReplicaError} when the environment holds no credentials, or Amazon does not answer */
  static async open({ url, s3Endpoint, s3Region }: ReplicaTarget): Promise<S3Files> {
    const { hostname: bucket, pathname } = new URL(url.reveal());
    const accessKeyId = credential('ACCESS_KEY_ID');
    const secretAccessKey = credential('SECRET_ACCESS_KEY');
    const sessionToken = process.env['AWS_SESSION_TOKEN'] ?? '';
    const region = s3Region ?? (s3Endpoint === null ? await regionOf(bucket) : DEFAULT_REGION);
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === '' ? {} : { sessionToken }),
      region,
      service: 's3',
    });
    const server = s3Endpoint ?? `https://s3.${region}.amazonaws.com`;
    const root = decodeURIComponent(pathname).replaceAll(/^\/+|\/+$/g, '');
    return new S3Files(client, `${server}/${bucket}`, root);
  }

  /** By ListObjectsV2, a thousand at a time. */
  async list(folder: string, only: NameFilter = {}): Promise<string[]> {
    const path = `${this.#path(folder)}/`;
    const names: string[] = [];
    for (let token: string | null = ''; token !== null;) {
      const url = new URL(this.#bucketUrl);
      url.searchParams.set('list-type', '2');
      url.searchParams.set('prefix', `${path}${only.prefix ?? ''}`);
      if (only.after !== undefined) url.searchParams.set('start-after', `${path}${only.after}`);
      if (token !== '') url.searchParams.set('continuation-token', token);
      const answer = await this.#get(url.href);
      if (answer.status !== 200) throw failure(answer);
      const listing = parseListing(answer.body.toString('utf8'));
      // The server may go on from a token without an end.
      const first = listing.keys[0]?.slice(path.length);
      if (listing.next !== null && (first === undefined || first <= (names.at(-1) ?? '')))
        throw new ReplicaError('the S3 server does not go on in its listing, and says that more follows');
      names.push(...listing.keys.map((key) => key.slice(path.length)));
      token = listing.next;
    }
    return namesWanted(names, only).filter((name) => name !== '' && !name.includes('/'));
  }

  async read(path: string): Promise<Buffer | null> {
    const encoded = this.#path(path).split('/').map(encodeURIComponent).join('/');
    const answer = await this.#get(`${this.#bucketUrl}/${encoded}`);
    if (answer.status === 200) return answer.body;
    if (answer.status === 404 && codeIn(answer) === 'NoSuchKey') return null;
    throw failure(answer);
  }

  close(): void {
    // Requests end by themselves.
  }

  /** @throws {ReplicaError} when no answer comes */
  async #get(url: string): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const again = RETRY_AFTER_MS[attempt];
      const answer = await this.#ask(url).catch(
        (cause: unknown) => new UnansweredError(reasonOf(cause), { cause }),
      );
      const isAnswered = !(answer instanceof UnansweredError) && answer.status < 500 && answer.status !== 429;
      if (isAnswered) return answer;
      if (again !== undefined) await pause(again);
      else if (answer instanceof UnansweredError)
        throw new ReplicaError(`no answer from the S3 server: ${answer.message}`, { cause: answer });
      else throw failure(answer);
    }
  }

  async #ask(url: string): Promise<Answer> {
    // The client's own fetch drops the signal when memory is collected.
    const request = await this.#client.sign(url);
    const answer = await fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  }

  #path(path: string): string {
    return this.#root === '' ? path : `${this.#root}/${path}`;
  }
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

class UnansweredError extends Error {}

/** By the names that Litestream reads. @throws {ReplicaError} */
function credential(name: string): string {
  const found = [`LITESTREAM_${name}`, `AWS_${name}`].map((each) => process.env[each] ?? '');
  const value = found.find((each) => each !== '');
  if (value === undefined) throw new ReplicaError(`LITESTREAM_${name} is not set`);
  return value;
}

/** Amazon names the region of a bucket to everybody who asks. */
async function regionOf(bucket: string): Promise<string> {
  const asked = { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) };
  const answer = await fetch(`https://s3.amazonaws.com/${bucket}`, asked).catch((cause: unknown) => {
    throw new ReplicaError(`no answer from Amazon S3: ${reasonOf(cause)}`, { cause });
  });
  return answer.headers.get('x-amz-bucket-region') ?? DEFAULT_REGION;
}

function failure(answer: Answer): ReplicaError {
  return new ReplicaError(`the S3 server answers ${answer.status} ${codeIn(answer)}`.trim());
}

/** The code of an error, such as NoSuchKey. */
function codeIn({ body }: Answer): string {
  return textsIn(body.toString('utf8')).get('Code')?.[0] ?? '';
}

/** The system's code of what failed; messages may hold the address, and that a password. */
function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return `nothing within ${TIMEOUT_MS} ms`;
  }
  return 'the request failed';
}
