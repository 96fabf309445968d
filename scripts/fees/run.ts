/**
 * npm run fees -- [--payments 10000] [--years 100]: the fees of sends in years of a busy shop, without and with fee
 * budgets. npm run fees -- --path: those of single actions on real nodes while rates rise and fall; exits with 1 if one
 * costs more than its budget. See docs/performance.md.
 */
import { parseArgs } from 'node:util';
import { formatCoinAmount } from '../../src/domain/money.ts';
import { randomFrom, yearOfRates } from './market.ts';
import { printPaths } from './path/print-paths.ts';
import { KINDS, play, type Kind, type Paid, type Rule } from './shop.ts';

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '10000' },
    years: { type: 'string', default: '100' },
    path: { type: 'boolean', default: false },
  },
});
const payments = Number(values.payments);
const years = Number(values.years);

/** A purchase of about 40 dollars, between a tenth of that and four times as much, atoms. */
const USUAL_AMOUNT = 40_000;

const RULES: readonly Rule[] = ['unbounded', 'budget'];
const show = (atoms: bigint): string => formatCoinAmount(atoms, 'BTC');

if (values.path) {
  if (!(await printPaths())) process.exitCode = 1;
} else {
  printYears();
}

function printYears(): void {
  const played = Array.from({ length: years }, (_, year) => {
    const rates = yearOfRates(randomFrom(year));
    return Object.fromEntries(RULES.map((rule) => [rule, playWith(rates, rule, year)]));
  });
  const COLUMNS = ['sends', 'rule', 'count', 'raises', 'fees, mean', 'fees, worst year', 'dearest'];
  print(COLUMNS);
  print(COLUMNS.map(() => '---'));
  for (const kind of KINDS) {
    for (const rule of RULES) {
      const all = played.flatMap((year) => year[rule]?.[kind] ?? []);
      const mean = (of: (paid: Paid) => number) =>
        Math.round(all.reduce((sum, paid) => sum + of(paid), 0) / years);
      const most = (of: (paid: Paid) => bigint) =>
        all.reduce((top, paid) => (of(paid) > top ? of(paid) : top), 0n);
      const total = all.reduce((sum, { fees }) => sum + fees, 0n);
      print([
        kind,
        rule,
        String(mean(({ count }) => count)),
        String(mean(({ raises }) => raises)),
        show(total / BigInt(years)),
        show(most(({ fees }) => fees)),
        show(most(({ dearest }) => dearest)),
      ]);
    }
  }
}

function playWith(rates: readonly bigint[], rule: Rule, seed: number): Record<Kind, Paid> {
  const random = randomFrom(1_000_000 + seed);
  const amountOf = () => BigInt(Math.round(USUAL_AMOUNT * 10 ** (random() * 1.6 - 1)));
  return play(rates, { payments, amountOf, claimEvery: 20 }, rule);
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
