import type { WatchFilter } from '../../../domain/chain.ts';
import { HEADER_BYTES, type OpenBlock } from './block.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { digestFingerprint } from './hash256.ts';
import {
  hasUnknownVersion,
  type IdentifiedTransaction,
  mayPayWatched,
  outpointFingerprint,
  scanTransaction,
  transactionId,
} from './transaction.ts';

const MIN_TRANSACTION_BYTES = 10;

/** A transaction that may be relevant, with its position in the block. */
export type Candidate = IdentifiedTransaction & { readonly position: number };

export interface PrefilteredBlock {
  /** In block order. */
  readonly candidates: readonly Candidate[];
  /** Whether any of them may spend an output of ours. */
  readonly maySpend: boolean;
  /** Number of transactions with an unknown version. */
  readonly oddVersions: number;
}

/**
 * Parses all transactions of a block and keeps those that may pay a watched script or spend an output of
 * ours, including one created earlier in the same block. Without a filter it keeps all.
 * @throws {ChainError} bad_answer when anything is malformed; no transaction is ever skipped.
 */
export function prefilterBlock(
  { bytes, hash }: OpenBlock,
  mweb: boolean,
  watchFilter: WatchFilter | null,
): PrefilteredBlock {
  const reader = new ByteReader(bytes, HEADER_BYTES);
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  const candidates: Candidate[] = [];
  const payingTails = new Set<number>();
  let maySpend = watchFilter === null;
  let oddVersions = 0;
  for (let position = 0; position < count; position += 1) {
    const scanned = scanTransaction(reader, { mweb, lone: false });
    if (hasUnknownVersion(bytes, scanned.start)) oddVersions += 1;
    const pays =
      watchFilter === null || scanned.outputs.some((offset) => mayPayWatched(watchFilter, bytes, offset));
    const spends =
      watchFilter !== null &&
      scanned.inputs.some((offset) => {
        const tail = outpointFingerprint(bytes, offset);
        return watchFilter.mayOwn(tail) || payingTails.has(tail);
      });
    if (!pays && !spends) continue;
    const id = transactionId(bytes, scanned);
    candidates.push({ ...scanned, id, position });
    if (pays) payingTails.add(digestFingerprint(id));
    if (spends) maySpend = true;
  }
  // Litecoin's extension block follows the last transaction.
  if (!mweb && reader.offset !== bytes.length) {
    throw malformed(reader.offset, 'bytes after the last transaction');
  }
  return { candidates, maySpend, oddVersions };
}
