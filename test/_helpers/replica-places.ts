/** Places for a replica, as a merchant may have them: a folder and an S3 server. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import account from '@20minutes/s3rver/lib/models/account.js';
import { freePort } from './nodes/proc.ts';
import type { Env } from './till.ts';

export interface ReplicaPlace {
  readonly url: string;
  /** Settings in addition to its URL. */
  readonly env: Env;
  /** Secrets that only the operator may read. */
  readonly secrets: readonly string[];
  /** Out of reach from now on. */
  leave(): Promise<void>;
  /** Removes everything. */
  end(): Promise<void>;
}

type PlaceKind = 'a folder' | 'an S3 server';

export const PLACE_KINDS: readonly PlaceKind[] = ['a folder', 'an S3 server'];

export async function openPlace(kind: PlaceKind): Promise<ReplicaPlace> {
  const dir = mkdtempSync(join(tmpdir(), 'till-place-'));
  return kind === 'a folder' ? folder(dir) : s3Server(dir);
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
