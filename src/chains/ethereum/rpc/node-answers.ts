import { z } from 'zod';

const HEX = /^0x[0-9a-f]*$/i;
/** A hex quantity of at most 256 bits, the EVM's limit: converting millions of digits would block the event loop. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** A quantity left as hex text. */
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

/** Unlisted fields are kept: the signed bytes are rebuilt from them. */
const CHECKED_TRANSACTION = z.looseObject({
  hash,
  from: account,
  to: account.nullish(),
  value: quantity,
  nonce: count,
});
export type BlockTransaction = z.infer<typeof CHECKED_TRANSACTION>;

/** Checks by hand for speed; Zod reads, or explains, only what is not in the usual form. */
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

/** Longest nonce read by hand, `0x` included; longer ones are left to the schema. */
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
  /** Merkle root of the block's transactions. */
  transactionsRoot: hash.nullish(),
});
export type Block = z.infer<typeof BLOCK>;

/** A pending block: some nodes give it no number, hash or miner. */
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

/** Fields that clients name differently, or not at all, are no part of it: Erigon lists stages, geth its indexes. */
export const SYNCING = z.union([
  z.literal(false),
  z.null(),
  z.object({ currentBlock: count.optional(), highestBlock: count.optional() }),
]);

/** Whether a text is valid hex data: raw bytes come from the database and from nodes. */
export function isHex(text: string): boolean {
  return HEX.test(text) && text.length % 2 === 0;
}
