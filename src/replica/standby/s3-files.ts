import { AwsClient } from 'aws4fetch';
import { Parser } from 'htmlparser2';
import { ReplicaError } from '../litestream-process.ts';
import type { ReplicaTarget } from '../litestream.ts';
import type { ReplicaFiles } from './replica-files.ts';

const TIMEOUT_MS = 60_000;
/** Of a request that the server could not answer; aws4fetch doubles the pause each time, from 50 ms. */
const RETRIES = 3;
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

  /** @throws {ReplicaError} when the environment holds no credentials, or Amazon does not know the bucket */
  static async open({ url, s3Endpoint, s3Region }: ReplicaTarget): Promise<S3Files> {
    const { hostname: bucket, pathname } = new URL(url.reveal());
    const accessKeyId = credential('ACCESS_KEY_ID');
    const secretAccessKey = credential('SECRET_ACCESS_KEY');
    const sessionToken = process.env['AWS_SESSION_TOKEN'];
    const region = s3Region ?? (s3Endpoint === null ? await regionOf(bucket) : DEFAULT_REGION);
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      region,
      service: 's3',
      retries: RETRIES,
    });
    const server = s3Endpoint ?? `https://s3.${region}.amazonaws.com`;
    return new S3Files(client, `${server}/${bucket}`, pathname.replaceAll(/^\/+|\/+$/g, ''));
  }

  /** By ListObjectsV2, a thousand at a time. */
  async list(folder: string, after?: string): Promise<string[]> {
    const prefix = `${this.#path(folder)}/`;
    const names: string[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const url = new URL(this.#bucketUrl);
      url.searchParams.set('list-type', '2');
      url.searchParams.set('prefix', prefix);
      if (after !== undefined) url.searchParams.set('start-after', `${prefix}${after}`);
      if (token !== '') url.searchParams.set('continuation-token', token);
      const answer = await this.#get(url.href);
      if (!answer.ok) throw await failure(answer);
      const texts = textsIn(await answer.text());
      names.push(...(texts.get('Key') ?? []).map((key) => key.slice(prefix.length)));
      token = texts.get('NextContinuationToken')?.[0];
    }
    return names.filter((name) => name !== '' && !name.includes('/')).toSorted();
  }

  async read(path: string): Promise<Buffer | null> {
    const answer = await this.#get(`${this.#bucketUrl}/${this.#path(path)}`);
    if (answer.ok) return Buffer.from(await answer.arrayBuffer());
    const error = await failure(answer);
    if (answer.status === 404 && error.message.includes('NoSuchKey')) return null;
    throw error;
  }

  close(): void {
    // Requests end by themselves.
  }

  async #get(url: string): Promise<Response> {
    return this.#client.fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause: unknown) => {
      throw new ReplicaError(`no answer from the S3 server: ${reasonOf(cause)}`, { cause });
    });
  }

  #path(path: string): string {
    return this.#root === '' ? path : `${this.#root}/${path}`;
  }
}

/** By the names that Litestream reads. @throws {ReplicaError} */
function credential(name: string): string {
  const value = process.env[`LITESTREAM_${name}`] ?? process.env[`AWS_${name}`];
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

async function failure(answer: Response): Promise<ReplicaError> {
  const [code = ''] = textsIn(await answer.text()).get('Code') ?? [];
  return new ReplicaError(`the S3 server answers ${answer.status} ${code}`.trim());
}

/** The texts of an XML document by the name of their element. */
function textsIn(xml: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  let text = '';
  const parser = new Parser(
    {
      onopentag: () => void (text = ''),
      ontext: (more) => void (text += more),
      onclosetag: (name) => {
        texts.set(name, [...(texts.get(name) ?? []), text]);
        text = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return texts;
}

/** What failed below `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
