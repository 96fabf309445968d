import type { Receipt } from '../chain-world.ts';
import type { Stage } from '../stage.ts';
import type { SendRow, TillDatabase } from '../till-database.ts';
import type { Violation } from './verdict.ts';

/** Each destination received its amount once, or nothing if nothing was acknowledged. */
export async function judgeSends(stage: Stage, database: TillDatabase): Promise<Violation[]> {
  const { world } = stage;
  const wanted = destinationsOf(stage);
  await offerAgain(stage, database, new Set(wanted.map(({ destination }) => destination)));
  const violations: Violation[] = [];
  const rows = new Map(database.sends().map((row) => [row.destination, row]));
  for (const { key, destination, events } of wanted) {
    const received = await world.received(destination);
    const row = rows.get(destination);
    const found = judgeSend(row, received);
    if (found !== null) {
      const what = `${key} (${row?.id ?? 'not stored'}, ${row?.status ?? `answers ${events.join()}`}): ${found.what}`;
      violations.push({ ...found, what });
    }
  }
  return violations;
}

/** All destinations outside the wallet: of sends, refunds and claims. */
function destinationsOf({ treasurer, links }: Stage) {
  const sends = treasurer.wanted.map(({ key, destination, events }) => ({ key, destination, events }));
  const claims = links.opened.map(({ id, destination }) => ({
    key: id,
    destination,
    events: [] as string[],
  }));
  return [...sends, ...claims].flatMap(({ key, destination, events }) =>
    destination === null ? [] : [{ key, destination, events }],
  );
}

function judgeSend(row: SendRow | undefined, received: readonly Receipt[]): Violation | null {
  const total = received.reduce((sum, { amount }) => sum + amount, 0n);
  const shown = `the destination got ${total} in ${received.map(({ txid }) => txid).join(', ') || 'nothing'}`;
  if (row === undefined) {
    return total === 0n ? null : { kind: 'falsely failed', what: `reported as rejected, but ${shown}` };
  }
  const amount = BigInt(row.amount);
  if (received.length > 1 || total > amount) return { kind: 'doubled', what: `${shown}, ordered ${amount}` };
  if (row.status === 'failed') {
    return total === 0n ? null : { kind: 'falsely failed', what: `${row.error}; ${shown}` };
  }
  if (row.status === 'confirmed' && total !== amount) {
    return { kind: 'wrong amount', what: `confirmed ${amount}, but ${shown}` };
  }
  return null;
}

/** A failed send must be dead: its bytes are submitted to the node, and must not be mined. */
async function offerAgain(
  { world }: Stage,
  database: TillDatabase,
  destinations: ReadonlySet<string>,
): Promise<void> {
  const failed = database
    .sends()
    .filter(({ status, destination }) => status === 'failed' && destinations.has(destination));
  for (const { id } of failed) {
    for (const { raw } of database.versions(id)) await world.offer(raw);
  }
  if (failed.length > 0) await world.settle();
}
