/** npm run failover -- [--rounds 20] [--load-ms 3000] [--coin BTC,ETH]: see docs/second-machine.md. */
import { parseArgs } from 'node:util';
import { COINS } from '../../src/domain/coins.ts';
import { coinsOf } from '../chaos/coins-of.ts';
import { runCampaign, type Round } from './campaign.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    'load-ms': { type: 'string', default: '3000' },
    coin: { type: 'string', default: COINS.join() },
  },
});

const COLUMNS = ['round', 'payments', 'sends', 'lost', 'oldest lost', 'back after', 'violations'];
const print = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`${cells.map((cell) => String(cell).padStart(11)).join(' ')}\n`);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

print(COLUMNS);
const { rounds, webhooks, violations } = await runCampaign({
  rounds: Number(values.rounds),
  coins: coinsOf(values.coin),
  loadMs: Number(values['load-ms']),
  onRound: (round) => print(row(round)),
  signal: interrupted.signal,
});
const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
const back = rounds.map(({ backMs }) => backMs).toSorted((a, b) => a - b);
print([
  'all',
  sum(({ payments }) => payments),
  sum(({ sends }) => sends),
  sum(({ lost }) => lost),
  `${Math.round(Math.max(0, ...rounds.map(({ lossMs }) => lossMs)))} ms`,
  `${((back.at(-1) ?? 0) / 1000).toFixed(1)} s`,
  violations.length,
]);
process.stdout.write(
  `${rounds.length} rounds, ${webhooks} webhooks; back after ${((back[Math.floor(back.length / 2)] ?? 0) / 1000).toFixed(1)} s (median)\n`,
);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.exit(violations.length > 0 ? 1 : 0);

function row({ number, payments, sends, lost, lossMs, backMs, violations: found }: Round) {
  const [loss, took] = [`${Math.round(lossMs)} ms`, `${(backMs / 1000).toFixed(1)} s`];
  return [number, payments, sends, lost, loss, took, found.length];
}
