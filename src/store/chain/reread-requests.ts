import { z } from 'zod';
import { COINS, MODES, type ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { readMeta, writeMeta } from '../meta.ts';

const PREFIX = 'reread.';
const request = z.object({ from: z.number(), to: z.number(), next: z.number() });

/** Blocks that the running daemon must reread, both ends included; those below `next` are done. */
export type RereadRequest = z.infer<typeof request>;

const metaKey = ({ coin, mode }: ChainId): string =>
  `${PREFIX}${z.enum(COINS).parse(coin)}.${z.enum(MODES).parse(mode)}`;

/** Stores a request, or its progress. */
export async function writeReread(db: Db, chain: ChainId, value: RereadRequest): Promise<void> {
  await writeMeta(db, metaKey(chain), JSON.stringify(value));
}

/** Undefined when no blocks must be reread. */
export async function findReread(db: Db, chain: ChainId): Promise<RereadRequest | undefined> {
  const value = await readMeta(db, metaKey(chain));
  return value === null ? undefined : request.parse(JSON.parse(value));
}

export async function endReread(db: Db, chain: ChainId): Promise<void> {
  await db.deleteFrom('meta').where('key', '=', metaKey(chain)).execute();
}
