/** node scripts/bench/replica-creates.ts: payments created per second without and with a replica, in turns. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shop } from '../../test/_helpers/api-client.ts';
import { TillProcess } from '../../test/_helpers/till.ts';
import { Machine } from '../failover/machine.ts';

const TURNS = 3;
const SECONDS = 8;
const CLIENTS = 16;

const rates: Record<'without' | 'with', number[]> = { without: [], with: [] };
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const kind of ['without', 'with'] as const) rates[kind].push(await measure(kind));
}
const [without, replicated] = [median(rates.without), median(rates.with)];
process.stdout.write(
  `${without.toFixed(0)}/s without, ${replicated.toFixed(0)}/s with a replica: ${(replicated / without).toFixed(2)}\n`,
);

async function measure(kind: 'without' | 'with'): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'till-bench-'));
  const dataDir = join(dir, 'data');
  const machine =
    kind === 'with' ? await Machine.start({ TILLD_REPLICA_URL: join(dir, 'replica') }, dataDir) : null;
  const till = machine?.till ?? (await TillProcess.start({}, dataDir));
  const shop = await Shop.open(till.api);
  await machine?.replicated();
  const until = performance.now() + SECONDS * 1000;
  let created = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < until; created += 1) await shop.createPayment();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const log = statSync(join(dataDir, 'tilld.sqlite-wal')).size;
  process.stdout.write(`${kind}: ${(created / SECONDS).toFixed(0)}/s, log ${(log / 1e6).toFixed(1)} MB\n`);
  await (machine === null ? till.kill9() : machine.powerOff());
  rmSync(dir, { recursive: true, force: true });
  return created / SECONDS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
