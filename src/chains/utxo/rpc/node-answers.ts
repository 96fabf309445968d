import { z } from 'zod';
import { AMOUNT } from './amount.ts';

export const HASH = z.string().regex(/^[0-9a-f]{64}$/);
export const COUNT = z.number().int().nonnegative();
/** A string in older nodes, a list in newer ones. */
const WARNINGS = z.union([z.string(), z.array(z.string())]).optional();

export const CHAIN_INFO = z.object({
  chain: z.string(),
  blocks: COUNT,
  headers: COUNT,
  bestblockhash: HASH,
  initialblockdownload: z.boolean().default(false),
  pruned: z.boolean().default(false),
  pruneheight: COUNT.optional(),
  warnings: WARNINGS,
});
export type ChainInfo = z.infer<typeof CHAIN_INFO>;

export const NETWORK_INFO = z.object({
  subversion: z.string(),
  connections: COUNT,
  /** False with -blocksonly. */
  localrelay: z.boolean().optional(),
  /** Seconds by which the median of its peers' clocks is ahead of its own. */
  timeoffset: z.number().optional(),
  warnings: WARNINGS,
});
export type NetworkInfo = z.infer<typeof NETWORK_INFO>;

export const HEADER = z.object({
  hash: HASH,
  height: COUNT,
  time: COUNT,
  mediantime: COUNT,
  previousblockhash: HASH.optional(),
});
export type NodeHeader = z.infer<typeof HEADER>;

/** Long lists are checked by hand: a schema check per entry would cost more than reading the mempool. */
export const TXIDS = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((txid) => typeof txid === 'string' && txid.length === 64),
  'is not a list of transaction ids',
);
/**
 * A list of transaction ids as the bytes between its brackets; each `"<64 hex>",` but the last one's comma.
 * Malformed ids are found by the scanner (see scanTxids).
 */
export type TxidBytes = Uint8Array<ArrayBuffer>;
export const TXID_BYTES = z.union([
  z.instanceof<typeof Uint8Array<ArrayBuffer>>(Uint8Array),
  TXIDS.transform(toTxidBytes),
]);

export function toTxidBytes(txids: readonly string[]): TxidBytes {
  return new Uint8Array(Buffer.from(JSON.stringify(txids).slice(1, -1), 'latin1'));
}

export const RAW = z.custom<string>(
  (value) => typeof value === 'string' && value.length % 2 === 0,
  'is not a hex text',
);

/** Raw blocks never become strings of megabytes. */
export type HexText = Uint8Array<ArrayBuffer>;
export const RAW_BYTES = z.union([
  z.instanceof<typeof Uint8Array<ArrayBuffer>>(Uint8Array),
  RAW.transform((text): HexText => new Uint8Array(Buffer.from(text, 'latin1'))),
]);

/** Without `feerate` where the node has no estimate; some forks return -1 instead. */
export const ESTIMATE = z.object({ feerate: z.unknown().optional() });
export const MEMPOOL_INFO = z.object({
  mempoolminfee: AMOUNT,
  minrelaytxfee: AMOUNT.nullish(),
  /** Since Bitcoin Core 24. */
  incrementalrelayfee: AMOUNT.nullish(),
});
/** Where older nodes return it: in getnetworkinfo. */
export const INCREMENTAL_FEE = z.object({ incrementalfee: AMOUNT.nullish() });
/** After a start a node loads its mempool from disk: until then a missing transaction proves nothing. */
export const LOADED = z.object({ loaded: z.boolean().default(true) });
export const UNSPENT = z.looseObject({ bestblock: HASH }).nullable();
