import type { ChainBlock } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import {
  bookChange,
  reverseMovement,
  type Movement,
  type MovedSend,
  type UnreversedMovement,
} from '../../domain/movements.ts';
import type { Clock, Rates } from '../../domain/ports.ts';
import { splitAmount } from '../../domain/send/outputs.ts';
import { blockTime } from '../../store/chain/chain-cursors.ts';
import {
  bookedOutputs,
  bookedSends,
  bookedSpends,
  insertMovements,
  movementsOfTransactions,
  newestCurrency,
  type StoredMovement,
} from '../../store/ledger/movements.ts';
import { readOutputs } from '../../store/sends/send-outputs.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { quoteOrNull, RATE_HOLDS_MS } from '../rates/index.ts';

export interface RecordMovementsDeps {
  readonly clock: Clock;
  readonly rates: Pick<Rates, 'quote'>;
}

type Output = Awaited<ReturnType<typeof bookedOutputs>>[number];
type Spend = Awaited<ReturnType<typeof bookedSpends>>[number];
type Send = Awaited<ReturnType<typeof bookedSends>>[number];

/** The ledger's entries for one transaction and one merchant. */
interface Booked {
  readonly txid: string;
  readonly merchantId: string;
  readonly outputs: Output[];
  readonly spends: Spend[];
  readonly lines: StoredMovement[];
  send: Send | null;
}

/** The currency of the books of shops without any payment. */
const DEFAULT_CURRENCY = 'USD';

/**
 * Records in the books how these transactions changed the ledger. Must run at the end of the transaction that
 * changed the ledger, with every transaction whose outputs or spends were confirmed or reverted there.
 * Idempotent.
 */
export async function recordMovements(
  tx: Tx,
  deps: RecordMovementsDeps,
  chain: ChainId,
  txids: Iterable<string>,
): Promise<void> {
  if (!tx.isTransaction)
    throw new Error('recordMovements must run in the transaction that changes the ledger');
  const uniqueTxids = [...new Set(txids)];
  if (uniqueTxids.length === 0) return;
  const rows: Parameters<typeof insertMovements>[1][number][] = [];
  for (const booked of await read(tx, chain, uniqueTxids)) {
    const { merchantId, txid } = booked;
    const { takenBack, made } = bookChange({
      outputs: booked.outputs.map(toOutput),
      spent: booked.spends.map(({ amount, paymentId }) => ({
        amount: BigInt(amount),
        paymentId: paymentId,
      })),
      send: booked.send === null ? null : toSend(booked.send, txid),
      unreversed: unreversedLines(booked.lines),
    });
    const common = { merchantId, coin: chain.coin, mode: chain.mode, at: deps.clock.now(), txid };
    for (const line of takenBack) {
      const { currency = null, rate = null } = booked.lines.find(({ seq }) => seq === line.seq) ?? {};
      rows.push({ ...common, ...columns(reverseMovement(line)), currency, rate, reverses: line.seq });
    }
    for (const line of made) {
      const priced = await findPrice(tx, deps, chain, { booked, line });
      rows.push({ ...common, ...columns(line), ...priced, reverses: null });
    }
  }
  await insertMovements(tx, rows);
}

/** The transactions of a block that may move our money. */
export function groupByTransaction({ credits, debits }: Pick<ChainBlock, 'credits' | 'debits'>): string[] {
  return [...credits.map(({ ref }) => ref.txid), ...debits.map(({ byTxid }) => byTxid)];
}

async function read(tx: Tx, chain: ChainId, requestedTxids: readonly string[]): Promise<Booked[]> {
  const byKey = new Map<string, Booked>();
  const of = (txid: string, merchantId: string): Booked => {
    const key = `${txid} ${merchantId}`;
    const known = byKey.get(key) ?? { txid, merchantId, outputs: [], spends: [], lines: [], send: null };
    byKey.set(key, known);
    return known;
  };
  const outputs = await bookedOutputs(tx, chain, requestedTxids);
  const spenders = findOtherSpenders(requestedTxids, outputs);
  if (spenders.length > 0) outputs.push(...(await bookedOutputs(tx, chain, spenders)));
  const txids = [...requestedTxids, ...spenders];
  for (const row of outputs) of(row.txid, row.merchantId).outputs.push(row);
  for (const row of await bookedSpends(tx, chain, txids)) {
    of(row.txid, row.merchantId).spends.push(row);
  }
  for (const row of await movementsOfTransactions(tx, chain, txids)) {
    of(row.txid, row.merchantId).lines.push(row);
  }
  const sends = byKey.size === 0 ? [] : await bookedSends(tx, chain, txids);
  for (const row of sends) of(row.txid, row.merchantId).send = row;
  return [...byKey.values()];
}

/** An output that is added or removed also changes the amount spent by the transaction that spends it. */
function findOtherSpenders(txids: readonly string[], outputs: readonly Output[]): string[] {
  const known = new Set(txids);
  const spenders = outputs.flatMap(({ spentBy: by, spentHeight: height }) =>
    by === null || height === null || known.has(by) ? [] : [by],
  );
  return [...new Set(spenders)];
}

function toOutput({ vout, amount, state, paymentId, address }: Output) {
  return { vout, amount: BigInt(amount), isConfirmed: state === 'confirmed', paymentId, address };
}

function toSend(send: Send, txid: string): MovedSend {
  const isCurrent = send.currentTxid === txid;
  const outputs = readOutputs(send);
  return {
    id: send.id,
    purpose: send.purpose,
    destination: send.destination,
    outputs: outputs === null ? null : splitAmount(outputs, BigInt(send.amount)),
    fee: BigInt(isCurrent ? send.fee : send.versionFee),
    isPaid: isCurrent && send.status === 'confirmed',
    cancels: send.cancels,
    refundOf: send.paymentId,
    note: send.note,
  };
}

/** The lines that no later line reverses. */
function unreversedLines(lines: readonly StoredMovement[]): UnreversedMovement[] {
  const takenBack = new Set(lines.map(({ reverses }) => reverses));
  return lines
    .filter(({ seq, reverses }) => reverses === null && !takenBack.has(seq))
    .map(({ seq, kind, amount, vout, paymentId, sendId, address, note }) => ({
      seq,
      kind,
      amount: BigInt(amount),
      vout,
      paymentId,
      sendId,
      address,
      note,
    }));
}

function columns({ kind, amount, vout, paymentId, sendId, address, note }: Movement) {
  return {
    kind,
    amount: amount.toString(),
    vout,
    paymentId,
    sendId,
    address,
    note,
  };
}

/**
 * The rate of a new line. A payment has its rate at receipt. Any other line has the current rate if it just
 * happened, in the currency of its payment, or else in that of the shop's newest payment.
 */
async function findPrice(
  tx: Tx,
  deps: RecordMovementsDeps,
  chain: ChainId,
  { booked, line }: { readonly booked: Booked; readonly line: Movement },
): Promise<{ currency: string; rate: string | null }> {
  const output = booked.outputs.find(({ vout }) => vout === line.vout);
  if (output !== undefined && output.currency !== null)
    return { currency: output.currency, rate: output.rate };
  const { mode } = chain;
  const currency =
    paymentCurrency(booked, line) ?? (await newestCurrency(tx, { ...booked, mode })) ?? DEFAULT_CURRENCY;
  const happenedAt = output?.firstSeenAt ?? (await minedAt(tx, chain, booked));
  const isRecent = happenedAt !== null && deps.clock.now() - happenedAt < RATE_HOLDS_MS;
  const quote = isRecent ? quoteOrNull(deps, { currency, mode }, chain.coin) : null;
  return { currency, rate: quote?.rate ?? null };
}

function paymentCurrency({ send, spends }: Booked, { paymentId }: Movement): string | null {
  if (paymentId === null) return null;
  if (send?.paymentId === paymentId) return send.currency;
  return spends.find((spend) => spend.paymentId === paymentId)?.currency ?? null;
}

/** The time of the block that contains the spend; null where it is not stored. */
async function minedAt(tx: Tx, chain: ChainId, { spends }: Booked): Promise<number | null> {
  const height = spends[0]?.spentHeight ?? null;
  return height === null ? null : blockTime(tx, chain, height);
}
