/**
 * node scripts/bench/replica-creates.ts [--turns 3] [--seconds 20] [--clients 16]: payments created per second without
 * and with a replica in a folder, in turns, and how long the event loop of the daemon stood still.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Shop } from '../../test/_helpers/api-client.ts';
import { TillProcess } from '../../test/_helpers/till.ts';
import { Machine } from '../failover/machine.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '16' },
  },
});
const [turns, seconds, clients] = [values.turns, values.seconds, values.clients].map(Number) as [
  number,
  number,
  number,
];

const COLUMNS = ['replica', 'created/s', 'refused', 'loop p99', 'loop max', 'log'];
const print = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`${cells.map((cell) => String(cell).padStart(10)).join(' ')}\n`);

const rates: Record<'without' | 'with', number[]> = { without: [], with: [] };
print(COLUMNS);
for (let turn = 0; turn < turns; turn += 1) {
  for (const kind of ['without', 'with'] as const) rates[kind].push(await measure(kind));
}
const ratios = rates.with.map((rate, turn) => rate / (rates.without[turn] ?? 0)).toSorted((a, b) => a - b);
process.stdout.write(
  `with / without: ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})\n`,
);

async function measure(kind: 'without' | 'with'): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'till-bench-'));
  const dataDir = join(dir, 'data');
  const machine =
    kind === 'with' ? await Machine.start({ TILLD_REPLICA_URL: join(dir, 'replica') }, dataDir) : null;
  const till = machine?.till ?? (await TillProcess.start({}, dataDir));
  const shop = await Shop.open(till.api);
  await machine?.replicated();
  // Each look at the metrics begins the figures of the event loop anew.
  await loopLag(till);
  const until = performance.now() + seconds * 1000;
  const count = { created: 0, refused: 0 };
  const client = async (): Promise<void> => {
    while (performance.now() < until)
      await shop.createPayment().then(
        () => (count.created += 1),
        () => (count.refused += 1),
      );
  };
  await Promise.all(Array.from({ length: clients }, client));
  const { p99, max } = await loopLag(till);
  const log = statSync(join(dataDir, 'tilld.sqlite-wal')).size;
  const rate = count.created / seconds;
  print([kind, rate.toFixed(0), count.refused, `${p99} ms`, `${max} ms`, `${(log / 1e6).toFixed(0)} MB`]);
  await (machine === null ? till.kill9() : machine.powerOff());
  rmSync(dir, { recursive: true, force: true });
  return rate;
}

async function loopLag(till: TillProcess): Promise<{ p99: string; max: string }> {
  const text = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
  const [p99 = '', max = ''] = ['p99', 'max'].map((kind) =>
    (Number(new RegExp(`^nodejs_eventloop_lag_${kind}_seconds (\\S+)$`, 'm').exec(text)?.[1]) * 1000).toFixed(
      0,
    ),
  );
  return { p99, max };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
