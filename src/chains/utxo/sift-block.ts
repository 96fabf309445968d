import type { Sieve } from '../../domain/chain.ts';
import { positionsOf } from './block-table.ts';
import type { BlockTransactions, ScannedBlock } from './block.ts';
import { digestTail } from './hash256.ts';
import type { ScannedTransaction } from './transaction-rows.ts';

/** A transaction that may concern us, with its place in the block. */
export type Candidate = ScannedTransaction & { readonly position: number };

export interface Sifted {
  /** In their order. */
  readonly candidates: Candidate[];
  /** Whether any of them may spend an output of ours. */
  readonly maySpend: boolean;
}

/**
 * The transactions of a block that may concern us: those that may pay a watched script, and those that may spend an
 * output of ours, be it of the same block. All of them without a sieve.
 */
export function siftBlock(block: ScannedBlock, sieve: Sieve | null): Sifted {
  const { transactions } = block;
  if (sieve === null) {
    return {
      candidates: transactions.map((scanned, position) => ({ ...scanned, position })),
      maySpend: true,
    };
  }
  const { table } = transactions;
  const { many } = sieve;
  const { outputKeys, inputTails } = table;
  const paid = many?.mayWatch(outputKeys) ?? numbersOf(outputKeys, sieve.mayWatch);
  const paying = positionsOf(table, paid, 'outputs').map((position) => candidate(transactions, position));
  // Also written as the tails of ids are: what pays us here may be spent further down.
  const tails = new Set(paying.map(({ id }) => digestTail(id)));
  const spent = many?.mayOwn(inputTails) ?? numbersOf(inputTails, sieve.mayOwn);
  const spending = [spent, ...numbersOfEach(inputTails, tails)].flatMap((numbers) =>
    positionsOf(table, numbers, 'inputs'),
  );
  if (spending.length === 0) return { candidates: paying, maySpend: false };
  const known = new Map(paying.map((each) => [each.position, each]));
  for (const position of spending) {
    if (!known.has(position)) known.set(position, candidate(transactions, position));
  }
  const candidates = [...known.values()].toSorted((a, b) => a.position - b.position);
  return { candidates, maySpend: true };
}

function candidate(transactions: BlockTransactions, position: number): Candidate {
  return { ...transactions.at(position), position };
}

/** More tails than this are looked for together. */
const FEW = 8;

/** Where in a row of keys these stand, in one list or several. */
function numbersOfEach(keys: Uint32Array, wanted: ReadonlySet<number>): number[][] {
  if (wanted.size > FEW) return [numbersOf(keys, (key) => wanted.has(key))];
  return [...wanted].map((key) => {
    const numbers: number[] = [];
    for (let at = keys.indexOf(key); at !== -1; at = keys.indexOf(key, at + 1)) numbers.push(at);
    return numbers;
  });
}

/** Where in a row of keys those stand that may matter. */
function numbersOf(keys: Uint32Array, mayMatter: (key: number) => boolean): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < keys.length; at += 1) if (mayMatter(keys[at] ?? 0)) numbers.push(at);
  return numbers;
}
