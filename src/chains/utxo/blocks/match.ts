import {
  type ChainIndex,
  type Credit,
  type Debit,
  outputKey,
  type WatchFilter,
  type Spender,
} from '../../../domain/chain.ts';
import { displayHex } from './hash256.ts';
import {
  addressableScript,
  type IdentifiedTransaction,
  mayPayWatched,
  outpointKey,
  outpointFingerprint,
  outputAmount,
} from './transaction.ts';

/** Keys per index query. */
const INDEX_BATCH = 1_000;
/** Raw transactions above this are not stored for a rebroadcast (the relay limit is 100 kvB). */
const MAX_RAW_BYTES = 100_000;
/** Length of a hex txid. */
const TXID_CHARS = 64;
const TAIL_AT = TXID_CHARS - 8;
export const COINBASE_MATURITY = 100;
export const PEGOUT_MATURITY = 6;

/** A scanned transaction with the bytes that its offsets refer to. */
export interface MatchTransaction {
  readonly bytes: Buffer;
  readonly scanned: IdentifiedTransaction;
  /** Confirmations before its outputs can be spent. */
  readonly maturity: number;
  /** False for coinbase and HogEx, which exist only in their block. */
  readonly relayable: boolean;
}

export interface Matches {
  readonly credits: Credit[];
  readonly debits: Debit[];
}

/**
 * Reduces transactions to their relevant parts: outputs to watched scripts, and inputs that spend our
 * outputs, including those of the same list and of `alsoOwn` (`txid:index`). The index is queried for
 * every script and outpoint that passes its filter, in bounded batches: the cost does not depend on
 * the number of watched addresses.
 */
export async function matchTransactions(
  transactions: readonly MatchTransaction[],
  index: ChainIndex,
  alsoOwn: Iterable<string> = [],
  known?: WatchFilter | null,
): Promise<Matches> {
  const watchFilter = known === undefined ? ((await index.watchFilter?.()) ?? null) : known;
  const credits = await findCredits(transactions, index, watchFilter);
  const ownHere = new Set([...alsoOwn, ...credits.map(({ ref }) => outputKey(ref))]);
  const debits = await findDebits(transactions, index, { ownHere, watchFilter });
  return { credits, debits };
}

/** Outputs to watched scripts only, for transactions that cannot spend our outputs. */
export async function findCredits(
  transactions: readonly MatchTransaction[],
  index: ChainIndex,
  watchFilter: WatchFilter | null,
): Promise<Credit[]> {
  const scripts = new Set<string>();
  const maybe = transactions.filter(({ bytes, scanned }) => {
    let pays = false;
    for (const offset of scanned.outputs) {
      if (watchFilter !== null && !mayPayWatched(watchFilter, bytes, offset)) continue;
      const script = addressableScript(bytes, offset);
      if (script === null) continue;
      scripts.add(script);
      pays = true;
    }
    return pays;
  });
  const watched = await askInBatches([...scripts], (keys) => index.watched(keys));
  return watched.size === 0 ? [] : maybe.flatMap((transaction) => matchCredits(transaction, watched));
}

function matchCredits(transaction: MatchTransaction, watched: ReadonlySet<string>): Credit[] {
  const { bytes, scanned, maturity, relayable } = transaction;
  const credits: Credit[] = [];
  let txid = '';
  let raw: string | null = null;
  for (const [position, offset] of scanned.outputs.entries()) {
    const watchKey = addressableScript(bytes, offset);
    if (watchKey === null || !watched.has(watchKey)) continue;
    if (txid === '') {
      txid = displayHex(scanned.id);
      const isSmall = scanned.end - scanned.start <= MAX_RAW_BYTES;
      raw = relayable && isSmall ? bytes.toString('hex', scanned.start, scanned.end) : null;
    }
    const amount = outputAmount(bytes, offset);
    credits.push({ ref: { txid, index: position }, watchKey, amount, maturity, raw });
  }
  return credits;
}

async function findDebits(
  transactions: readonly MatchTransaction[],
  index: ChainIndex,
  {
    ownHere,
    watchFilter,
  }: { readonly ownHere: ReadonlySet<string>; readonly watchFilter: WatchFilter | null },
): Promise<Debit[]> {
  const tailsHere = new Set([...ownHere].map((key) => Number.parseInt(key.slice(TAIL_AT, TXID_CHARS), 16)));
  const keys: string[] = [];
  const maybe = transactions.filter(({ bytes, scanned }) => {
    const before = keys.length;
    for (const offset of scanned.inputs) {
      const tail = outpointFingerprint(bytes, offset);
      if (watchFilter === null || watchFilter.mayOwn(tail) || tailsHere.has(tail))
        keys.push(outpointKey(bytes, offset));
    }
    return keys.length > before;
  });
  const own = await askInBatches(keys, (batch) => index.ownOutputs(batch));
  for (const key of ownHere) own.add(key);
  return own.size === 0 ? [] : maybe.flatMap((transaction) => matchDebits(transaction, own));
}

function matchDebits(transaction: MatchTransaction, own: ReadonlySet<string>): Debit[] {
  const { bytes, scanned } = transaction;
  const spent = scanned.inputs.map((offset) => outpointKey(bytes, offset)).filter((key) => own.has(key));
  if (spent.length === 0) return [];
  const spender = toSpender(transaction);
  const byTxid = displayHex(scanned.id);
  return spent.map((key) => {
    const [txid = '', position] = key.split(':');
    return { ref: { txid, index: Number(position) }, byTxid, spender };
  });
}

function toSpender({ bytes, scanned }: MatchTransaction): Spender {
  return {
    raw: bytes.toString('hex', scanned.start, scanned.end),
    inputs: scanned.inputs.length,
    pays: scanned.outputs.map((offset) => ({
      watchKey: addressableScript(bytes, offset),
      amount: outputAmount(bytes, offset),
    })),
  };
}

/** Queries the index for a long list of keys in bounded batches. */
async function askInBatches(
  keys: readonly string[],
  ask: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let start = 0; start < keys.length; start += INDEX_BATCH) {
    for (const key of await ask(keys.slice(start, start + INDEX_BATCH))) found.add(key);
  }
  return found;
}
