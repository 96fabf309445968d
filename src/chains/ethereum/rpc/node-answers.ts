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

/** Longest nonce read by hand, `0x` included; longer ones are left to the schema. */
const MAX_NONCE_LENGTH = 13;

/** Parses the usual form by hand, for speed; null for any other, which zod parses or rejects with a reason. */
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

/** A transaction of a block in a form that this program cannot parse. */
export interface UnreadableTransaction {
  /** Its hash; `height/position` when not even that can be read. */
  readonly txid: string;
  readonly type: number | null;
  readonly problem: string;
}

export interface Block extends Header {
  /**
   * One entry per transaction of the block; an unreadable one is an empty transfer, so that positions are
   * kept.
   */
  readonly transactions: BlockTransaction[];
  readonly unreadable?: readonly UnreadableTransaction[];
  /** Merkle root of the block's transactions. */
  readonly transactionsRoot?: string | null | undefined;
}

const RAW_BLOCK = HEADER.extend({ transactions: z.array(z.unknown()), transactionsRoot: hash.nullish() });
const NAMED = z.object({ hash, type: count.nullish().catch(null) });

/** An unparseable transaction does not affect the others: the block lists it as unreadable. */
export const BLOCK = RAW_BLOCK.transform(({ transactions: answered, ...header }): Block => {
  const unreadable: UnreadableTransaction[] = [];
  const transactions = answered.map((entry, position): BlockTransaction => {
    const plain = readPlainTransaction(entry);
    if (plain !== null) return plain;
    const checked = CHECKED_TRANSACTION.safeParse(entry);
    if (checked.success) return checked.data;
    const named = NAMED.safeParse(entry).data;
    const txid = named?.hash ?? `${header.number}/${position}`;
    const [issue] = checked.error.issues;
    const problem = `unexpected ${issue?.path.join('.') || 'transaction'}: ${issue?.message ?? ''}`;
    unreadable.push({ txid, type: named?.type ?? null, problem });
    return { hash: txid, from: '', to: null, value: 0n, nonce: -1 };
  });
  return { ...header, transactions, unreadable };
});

/**
 * A pending block: some nodes give it no number, hash or miner. Transactions that cannot be parsed appear in
 * their block.
 */
export const PENDING = z.object({
  parentHash: hash,
  number: count.nullish(),
  hash: hash.nullish(),
  transactions: z
    .array(z.unknown())
    .transform((answered) =>
      answered.flatMap(
        (entry) => readPlainTransaction(entry) ?? CHECKED_TRANSACTION.safeParse(entry).data ?? [],
      ),
    ),
});
export type PendingBlock = z.infer<typeof PENDING>;

export const RECEIPT = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: count,
  status: count,
  /** Absent for a payer's transaction, whose cost is not needed. */
  gasUsed: quantity.nullish(),
  effectiveGasPrice: quantity.nullish(),
  blobGasUsed: quantity.nullish(),
  blobGasPrice: quantity.nullish(),
});
export type Receipt = z.infer<typeof RECEIPT>;

/** Omits fields that clients name differently or lack: Erigon lists stages, geth its indexes. */
export const SYNCING = z.union([
  z.literal(false),
  z.null(),
  z.object({ currentBlock: count.optional(), highestBlock: count.optional() }),
]);

/** Whether a text is valid hex data: raw bytes come from the database and from nodes. */
export function isHex(text: string): boolean {
  return HEX.test(text) && text.length % 2 === 0;
}
