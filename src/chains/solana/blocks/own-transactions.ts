import { ChainError } from '../../../domain/chain.ts';
import { readWire } from '../sends/message.ts';
import type { NodeClient, RawTransaction } from '../rpc/node-client.ts';

/** A landed transaction reduced to its balance changes. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
  readonly fee: bigint;
  /** Static accounts, then those of lookup tables; balances are in this order. */
  readonly keys: readonly string[];
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  /** Base64; null for versions whose bytes cannot be decoded. */
  readonly raw: string | null;
}

/**
 * Maximum transactions cached; a landed one does not change while it stays in its slot. As many as one look reads of
 * an account, or an interrupted look would start over.
 */
const CACHED = 20_000;

/** Reads landed transactions from the node, each once per slot it lands in. */
export class TransactionReader {
  readonly #client: NodeClient;
  readonly #cache = new Map<string, LandedTransaction>();

  constructor(client: NodeClient) {
    this.#client = client;
  }

  /** Null when the node lists a transaction but lacks it or has it in another slot: retry, or ask another node. */
  async read(signature: string, slot: number): Promise<LandedTransaction | null> {
    const key = `${signature}@${slot}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const read = await this.#fetch(signature);
    if (read?.slot !== slot) return null;
    this.#cache.set(key, read);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > CACHED && oldest !== undefined) this.#cache.delete(oldest);
    return read;
  }

  /** Reads all given transactions in parallel; answers those that the node has, by signature. */
  async readAll(
    listed: readonly { signature: string; slot: number }[],
  ): Promise<ReadonlyMap<string, LandedTransaction>> {
    const read = await Promise.all(listed.map(async ({ signature, slot }) => this.read(signature, slot)));
    return new Map(read.filter((each) => each !== null).map((each) => [each.signature, each]));
  }

  async #fetch(signature: string): Promise<LandedTransaction | null> {
    const found = await this.#client.rawTransaction(signature);
    if (found === null) return null;
    const [raw] = found.transaction;
    const wire = readWire(raw);
    if (wire !== null) return landed(signature, found, wire.staticKeys, raw);
    // A version newer than the library can decode: the node lists its accounts.
    const listed = await this.#client.jsonTransaction(signature);
    return listed === null ? null : landed(signature, listed, listed.transaction.message.accountKeys, null);
  }
}

function landed(
  signature: string,
  found: Pick<RawTransaction, 'slot' | 'meta'>,
  staticKeys: readonly string[],
  raw: string | null,
): LandedTransaction {
  const { slot, meta } = found;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...staticKeys, ...writable, ...readonly];
  if (meta.preBalances.length !== keys.length || meta.postBalances.length !== keys.length) {
    throw new ChainError(
      'bad_answer',
      `transaction ${signature} has balances of other accounts than it names`,
    );
  }
  return {
    signature,
    slot,
    failed: (meta.err ?? null) !== null,
    fee: meta.fee,
    keys,
    before: meta.preBalances,
    after: meta.postBalances,
    raw,
  };
}

/** Balance change of an account in a transaction; negative for an outflow. */
export function changeOf(transaction: LandedTransaction, address: string): bigint {
  const index = transaction.keys.indexOf(address);
  const before = transaction.before[index];
  const after = transaction.after[index];
  if (before === undefined || after === undefined) {
    throw new ChainError('bad_answer', `transaction ${transaction.signature} does not touch ${address}`);
  }
  return after - before;
}
