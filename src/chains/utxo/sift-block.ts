import type { Sieve } from '../../domain/chain.ts';
import type { ScannedBlock } from './block.ts';
import { RowReader, type ScannedTransaction } from './transaction-rows.ts';
import { addressableLength, outpointTail, scriptStart } from './transaction.ts';

/** A transaction that may concern us, with its place in the block. */
export type Candidate = ScannedTransaction & { readonly position: number };

const DIGEST_BYTES = 32;

/**
 * The transactions of a block that may concern us, in their order: those that may pay a watched script, and
 * those that may spend an output of ours, be it of the same block. All of them without a sieve.
 */
export function siftBlock(block: ScannedBlock, sieve: Sieve | null): Candidate[] {
  const { transactions } = block;
  if (sieve === null) return transactions.map((scanned, position) => ({ ...scanned, position }));
  const paying = payingOurs(block, sieve);
  // Also written as the tails of ids are: what pays us here may be spent further down.
  const tails = new Set(
    [...paying].map((position) => outpointTail(transactions.ids, position * DIGEST_BYTES)),
  );
  const candidates: Candidate[] = [];
  const row = new RowReader(transactions.rows);
  for (let position = 0; !row.isAtEnd(); position += 1, row.next()) {
    if (paying.has(position) || maySpendOurs(block, row, { sieve, tails }))
      candidates.push({ ...row.transaction(transactions.id(position)), position });
  }
  return candidates;
}

function payingOurs({ bytes, transactions }: ScannedBlock, sieve: Sieve): Set<number> {
  const paying = new Set<number>();
  const row = new RowReader(transactions.rows);
  for (let position = 0; !row.isAtEnd(); position += 1, row.next()) {
    for (let index = 0; index < row.outputs; index += 1) {
      const offset = row.output(index);
      const length = addressableLength(bytes, offset);
      if (length === 0) continue;
      const start = scriptStart(offset);
      if (!sieve.mayWatch(bytes, start, start + length)) continue;
      paying.add(position);
      break;
    }
  }
  return paying;
}

function maySpendOurs(
  { bytes }: ScannedBlock,
  row: RowReader,
  { sieve, tails }: { readonly sieve: Sieve; readonly tails: ReadonlySet<number> },
): boolean {
  for (let index = 0; index < row.inputs; index += 1) {
    const tail = outpointTail(bytes, row.input(index));
    if (sieve.mayOwn(tail) || (tails.size > 0 && tails.has(tail))) return true;
  }
  return false;
}
