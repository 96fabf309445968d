/** The books against the ledger. */
import { expect } from 'vitest';
import type { Db } from '../../src/store/sqlite/database.ts';
import type { StoredMovement } from '../../src/store/ledger/movements.ts';

/** For each merchant, coin and mode: what all lines add up to is the confirmed money that no block spends. */
export async function expectBooksToAgree(db: Db): Promise<void> {
  const lines = await db.selectFrom('movements').selectAll().orderBy('seq').execute();
  const held = await db
    .selectFrom('outputs')
    .select(['merchantId', 'coin', 'mode', 'amount'])
    .where('state', '=', 'confirmed')
    .where('spentHeight', 'is', null)
    .execute();
  expect(withoutZeros(sums(lines))).toEqual(withoutZeros(sums(held)));
  expectReversals(lines);
}

/** No line of a shop is dated before an earlier one, whatever the clock did. Those that an upgrade filled in may be. */
export async function expectBooksInOrder(db: Db): Promise<void> {
  const lines = await db.selectFrom('movements').selectAll().orderBy('seq').execute();
  const newest = new Map<string, number>();
  for (const { merchantId, mode, at } of lines) {
    const key = `${merchantId} ${mode}`;
    expect(at).toBeGreaterThanOrEqual(newest.get(key) ?? 0);
    newest.set(key, at);
  }
}

/** Each send that a block has paid is a line of its own kind about that transaction: a refund is never lost among sends. */
export async function expectSendsInBooks(db: Db): Promise<void> {
  const sends = await db
    .selectFrom('sends')
    .innerJoin('send_versions', (join) =>
      join.onRef('send_versions.sendId', '=', 'sends.id').onRef('send_versions.txid', '=', 'sends.txid'),
    )
    .leftJoin('refunds', 'refunds.sendId', 'sends.id')
    .select(['sends.id', 'sends.purpose', 'sends.txid', 'refunds.paymentId'])
    .where('sends.status', '=', 'confirmed')
    .where('send_versions.cancels', '=', false)
    .execute();
  const lines = await db.selectFrom('movements').selectAll().execute();
  const takenBack = new Set(lines.map(({ reverses }) => reverses));
  const told = lines
    .filter(({ seq, kind }) => !takenBack.has(seq) && kind !== 'reversal' && kind !== 'fee')
    .map(({ sendId, txid, kind }) => ({ id: sendId, txid, kind }));
  for (const { id, txid, purpose, paymentId } of sends) {
    const kind = purpose === 'send' && paymentId !== null ? 'refund' : purpose;
    expect(told.filter((line) => line.id === id)).toEqual([{ id, txid, kind }]);
  }
}

function about({ txid, vout, sendId, paymentId, rate, currency }: StoredMovement): object {
  return { txid, vout, sendId, paymentId, rate, currency };
}

/** A line is taken back at most once, by its exact opposite, about the same transaction, at the same rate. */
function expectReversals(lines: readonly StoredMovement[]): void {
  const bySeq = new Map(lines.map((line) => [line.seq, line]));
  const reversals = lines.filter(({ kind }) => kind === 'reversal');
  expect(new Set(reversals.map(({ reverses }) => reverses)).size).toBe(reversals.length);
  for (const line of reversals) {
    const original = bySeq.get(line.reverses ?? 0);
    expect(original?.kind).not.toBe('reversal');
    expect(original && about(original)).toEqual(about(line));
    expect(BigInt(original?.amount ?? 0)).toBe(-BigInt(line.amount));
  }
}

type Amount = Pick<StoredMovement, 'merchantId' | 'coin' | 'mode' | 'amount'>;

function sums(rows: readonly Amount[]): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const { merchantId, coin, mode, amount } of rows) {
    const key = `${merchantId} ${coin} ${mode}`;
    found.set(key, (found.get(key) ?? 0n) + BigInt(amount));
  }
  return found;
}

function withoutZeros(all: ReadonlyMap<string, bigint>): Record<string, bigint> {
  return Object.fromEntries([...all].filter(([, sum]) => sum !== 0n));
}
