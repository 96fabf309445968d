/**
 * npm run fees -- --path: what each automatic action of the wallet pays on real nodes while fee rates rise tenfold and fall
 * again, as tables. See docs/performance.md.
 */
import { playPath } from './path-actions.ts';
import { openBitcoin, openEthereum } from './path-chain.ts';

/** Plays the paths, and prints their tables. False: an action cost more than its budget, or never went through. */
export async function printPaths(): Promise<boolean> {
  let isWithinBudgets = true;
  for (const open of [openBitcoin, openEthereum]) {
    const { rates, rows, problems } = await playPath(await open());
    print(['action', 'due at', 'signed', 'paid', 'budget', ...rates]);
    print(['---', '---', '---', '---', '---', ...rates.map(() => '---')]);
    for (const { action, orderedAt, versions, paid, budget, history } of rows)
      print([action, orderedAt, String(versions), paid, budget, ...history]);
    for (const problem of problems) process.stdout.write(`PROBLEM: ${problem}\n`);
    process.stdout.write('\n');
    isWithinBudgets &&= problems.length === 0;
  }
  return isWithinBudgets;
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
