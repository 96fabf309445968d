import { type ChainIndex, type Credit, type Debit, outputKey } from '../../domain/chain.ts';
import { displayHex } from './hash256.ts';
import { addressableScript, outpointKey, outputAmount, type ScannedTransaction } from './transaction.ts';

/** Keys per question to the index. */
const INDEX_BATCH = 1_000;
/** Raw transactions above this are not kept for a rebroadcast (the relay limit is 100 kvB). */
const MAX_RAW_BYTES = 100_000;
export const COINBASE_MATURITY = 100;
export const PEGOUT_MATURITY = 6;

/** A scanned transaction with the bytes its offsets point into. */
export interface MatchTransaction {
  readonly bytes: Buffer;
  readonly scanned: ScannedTransaction;
  /** Confirmations before its outputs can be spent. */
  readonly maturity: number;
  /** Coinbase and HogEx exist in their block only. */
  readonly relayable: boolean;
}

export interface Matches {
  readonly credits: Credit[];
  readonly debits: Debit[];
}

/**
 * Reduces transactions to what concerns us: outputs to watched scripts, and inputs that spend our
 * outputs, also those of the same list and of `alsoOwn` (`txid:index`). The index is asked about
 * every script and outpoint in bounded batches: how many addresses are watched does not matter.
 */
export async function matchTransactions(
  transactions: readonly MatchTransaction[],
  index: ChainIndex,
  alsoOwn: Iterable<string> = [],
): Promise<Matches> {
  const credits = await findCredits(transactions, index);
  const ownHere = new Set([...alsoOwn, ...credits.map(({ ref }) => outputKey(ref))]);
  const debits = await findDebits(transactions, index, ownHere);
  return { credits, debits };
}

async function findCredits(transactions: readonly MatchTransaction[], index: ChainIndex): Promise<Credit[]> {
  const scripts = new Set<string>();
  for (const { bytes, scanned } of transactions) {
    for (const offset of scanned.outputs) {
      const script = addressableScript(bytes, offset);
      if (script !== null) scripts.add(script);
    }
  }
  const watched = await askInBatches([...scripts], (keys) => index.watched(keys));
  if (watched.size === 0) return [];
  return transactions.flatMap((transaction) => creditsOf(transaction, watched));
}

function creditsOf(transaction: MatchTransaction, watched: ReadonlySet<string>): Credit[] {
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
  ownHere: ReadonlySet<string>,
): Promise<Debit[]> {
  const keys = transactions.flatMap(({ bytes, scanned }) =>
    scanned.inputs.map((offset) => outpointKey(bytes, offset)),
  );
  const own = await askInBatches(keys, (batch) => index.ownOutputs(batch));
  for (const key of ownHere) own.add(key);
  return own.size === 0 ? [] : transactions.flatMap((transaction) => debitsOf(transaction, own));
}

function debitsOf({ bytes, scanned }: MatchTransaction, own: ReadonlySet<string>): Debit[] {
  const spent = scanned.inputs.map((offset) => outpointKey(bytes, offset)).filter((key) => own.has(key));
  return spent.map((key) => {
    const [txid = '', position] = key.split(':');
    return { ref: { txid, index: Number(position) }, byTxid: displayHex(scanned.id) };
  });
}

/** Puts a long list of keys to the index in bounded questions. */
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
