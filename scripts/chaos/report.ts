import type { Coin } from '../../src/domain/coins.ts';
import { VIOLATIONS } from './oracle/verdict.ts';
import type { RoundResult } from './stage.ts';
import type { Tally } from './tally.ts';

/** One line for each round; for a failed one also its faults and history, so that it can be understood. */
export function printRound(coin: Coin, round: RoundResult, isVerbose: boolean): void {
  const { plan, violations, unknown, seconds, transfers, sends } = round;
  const end = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  const open = unknown.length === 0 ? '' : `, ${unknown.length} unknown at rest`;
  print(
    `${coin} seed ${plan.seed}: ${end}${open} (${transfers} transfers, ${sends} sends, ${seconds.toFixed(1)} s)`,
  );
  if (violations.length === 0 && !isVerbose) return;
  for (const { kind, what } of violations) print(`  ${kind}: ${what}`);
  for (const what of unknown) print(`  unknown: ${what}`);
  print(`  again: npm run chaos -- --coin ${coin} --rounds 1 --seed ${plan.seed}`);
  print(`  mix${plan.staysHoled ? ' (what history is lost stays lost)' : ''}:`);
  for (const line of round.mix) print(`    ${line}`);
  print('  history:');
  for (const line of round.history) print(`    ${line}`);
  print('  events:');
  for (const line of round.events) print(`    ${line}`);
}

/** The totals of the campaign. */
export function printTable(tallies: readonly Tally[]): void {
  const columns = [
    'coin',
    'rounds',
    'transfers',
    'sends',
    ...VIOLATIONS,
    'unknown at rest',
    'not played',
    's/round',
  ];
  const rows = tallies.map((tally) => {
    const { coin, rounds, transfers, sends, violations, unknown, broken, seconds } = tally;
    const counts = VIOLATIONS.map((kind) => violations.filter((violation) => violation.kind === kind).length);
    const perRound = (seconds / Math.max(1, rounds)).toFixed(1);
    return [coin, rounds, transfers, sends, ...counts, unknown, broken, perRound].map(String);
  });
  print('');
  print(`| ${columns.join(' | ')} |`);
  print(`|${columns.map(() => '---').join('|')}|`);
  for (const row of rows) print(`| ${row.join(' | ')} |`);
  print('');
  for (const { coin, mischiefs } of tallies) {
    const played = [...mischiefs]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, rounds]) => `${name} ${rounds}`);
    print(`${coin}: rounds in which a mischief did something: ${played.join(', ')}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
