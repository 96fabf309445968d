import { z } from 'zod';
import { parsed } from './rpc.ts';

const HEX = /^0x[0-9a-f]*$/i;
/** Nothing on the chain has more than 256 bits: calculating with millions of digits would keep everybody waiting. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** As it is written. */
export const quantityText = z.string().regex(QUANTITY);
export const quantity = quantityText.transform((text) => BigInt(text));

/**
 * An answered quantity, as the schema reads it. Looking at ten thousand balances takes the schema
 * longer than it takes the node to tell them: it is asked about what is none, to say why.
 */
export function quantityOf(result: unknown, method: string): bigint {
  if (typeof result === 'string' && QUANTITY.test(result)) return BigInt(result);
  return parsed(result, method, quantity);
}

export const count = quantity.pipe(z.bigint().max(BigInt(Number.MAX_SAFE_INTEGER))).transform(Number);
export const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase());
const account = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => text.toLowerCase());

export const HEADER = z.object({ number: count, hash, parentHash: hash, timestamp: count });
export type Header = z.infer<typeof HEADER>;

/** Further fields stay as they came: the bytes of a transaction are put together from them. */
const TRANSACTION = z.looseObject({
  hash,
  from: account,
  to: account.nullish(),
  value: quantity,
  nonce: count,
});
export type BlockTransaction = z.infer<typeof TRANSACTION>;

export const BLOCK = HEADER.extend({ transactions: z.array(TRANSACTION) });
export type Block = z.infer<typeof BLOCK>;

/** Pending blocks of some nodes carry no number, hash or miner. */
export const PENDING = z.object({
  parentHash: hash,
  number: count.nullish(),
  hash: hash.nullish(),
  transactions: z.array(TRANSACTION),
});
export type PendingBlock = z.infer<typeof PENDING>;

export const RECEIPT = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: count,
  status: count,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  blobGasUsed: quantity.optional(),
  blobGasPrice: quantity.optional(),
});
export type Receipt = z.infer<typeof RECEIPT>;

export const SYNCING = z.union([z.literal(false), z.object({ highestBlock: count.optional() })]);

/** Whether a text is hex data at all: raw bytes come from the database and from nodes. */
export function isHex(text: string): boolean {
  return HEX.test(text) && text.length % 2 === 0;
}
