/** npm run failover -- [--rounds 20] [--load-ms 3000]: see docs/second-machine.md. */
import { parseArgs } from 'node:util';
import { runCampaign, type Round } from './campaign.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, 'load-ms': { type: 'string', default: '3000' } },
});

const COLUMNS = ['round', 'payments', 'sends', 'lost', 'oldest lost', 'webhooks', 'back after', 'violations'];
const print = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`${cells.map((cell) => String(cell).padStart(11)).join(' ')}\n`);

print(COLUMNS);
const rounds = await runCampaign({
  rounds: Number(values.rounds),
  loadMs: Number(values['load-ms']),
  onRound: (round) => print(row(round)),
});
const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
const violations = rounds.flatMap((round) => round.violations);
print([
  'all',
  sum(({ payments }) => payments),
  sum(({ sends }) => sends),
  sum(({ lost }) => lost),
  `${Math.round(Math.max(...rounds.map(({ lossMs }) => lossMs)))} ms`,
  rounds.at(-1)?.webhooks ?? 0,
  `${(Math.max(...rounds.map(({ backMs }) => backMs)) / 1000).toFixed(1)} s`,
  violations.length,
]);
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.exit(violations.length > 0 ? 1 : 0);

function row({ number, payments, sends, lost, lossMs, webhooks, backMs, violations: found }: Round) {
  return [
    number,
    payments,
    sends,
    lost,
    `${Math.round(lossMs)} ms`,
    webhooks,
    `${(backMs / 1000).toFixed(1)} s`,
    found.length,
  ];
}
