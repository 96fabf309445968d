import { z } from 'zod';

const HEX = /^0x[0-9a-f]*$/i;
/** Nothing on the chain has more than 256 bits: calculating with millions of digits would keep everybody waiting. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** As it is written. */
export const quantityText = z.string().regex(QUANTITY);
export const quantity = quantityText.transform((text) => BigInt(text));

export function isQuantityText(value: unknown): value is string {
  return typeof value === 'string' && QUANTITY.test(value);
}

export const count = quantity.pipe(z.bigint().max(BigInt(Number.MAX_SAFE_INTEGER))).transform(Number);
const HASH = /^0x[0-9a-f]{64}$/i;
const ACCOUNT = /^0x[0-9a-f]{40}$/i;
export const hash = z
  .string()
  .regex(HASH)
  .transform((text) => text.toLowerCase());
const account = z
  .string()
  .regex(ACCOUNT)
  .transform((text) => text.toLowerCase());

export const HEADER = z.object({ number: count, hash, parentHash: hash, timestamp: count });
export type Header = z.infer<typeof HEADER>;

/** Further fields stay as they came: the bytes of a transaction are put together from them. */
const CHECKED_TRANSACTION = z.looseObject({
  hash,
  from: account,
  to: account.nullish(),
  value: quantity,
  nonce: count,
});
export type BlockTransaction = z.infer<typeof CHECKED_TRANSACTION>;

/** By hand, as the schema does; the schema is asked about what is not in the usual form, to read it or to say why not. */
const TRANSACTION = z.unknown().transform((answered, context): BlockTransaction => {
  const plain = readPlainTransaction(answered);
  if (plain !== null) return plain;
  const checked = CHECKED_TRANSACTION.safeParse(answered);
  if (checked.success) return checked.data;
  for (const { path, message } of checked.error.issues) {
    context.issues.push({ code: 'custom', input: answered, path, message });
  }
  return z.NEVER;
});

/** What is beyond it has more digits than any nonce. */
const MAX_NONCE_LENGTH = 13;

function readPlainTransaction(answered: unknown): BlockTransaction | null {
  if (typeof answered !== 'object' || answered === null) return null;
  const { hash, from, to, value, nonce } = answered as Readonly<Record<string, unknown>>;
  if (!isText(hash, HASH) || !isText(from, ACCOUNT)) return null;
  if (!isQuantityText(value) || !isQuantityText(nonce) || nonce.length > MAX_NONCE_LENGTH) return null;
  const parts = {
    hash: hash.toLowerCase(),
    from: from.toLowerCase(),
    value: BigInt(value),
    nonce: Number(nonce),
  };
  if (to === null || to === undefined) return { ...answered, ...parts };
  return isText(to, ACCOUNT) ? { ...answered, ...parts, to: to.toLowerCase() } : null;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

export const BLOCK = HEADER.extend({
  transactions: z.array(TRANSACTION),
  /** What the block's hash says of its transactions. */
  transactionsRoot: hash.nullish(),
});
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
