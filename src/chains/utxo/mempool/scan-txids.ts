import { setImmediate as turn } from 'node:timers/promises';
import { ChainError } from '../../../domain/chain.ts';
import { TXID_ENTRY } from '../rpc/exact-json.ts';
import { HASH, toTxidBytes, type TxidBytes } from '../rpc/node-answers.ts';
import { TX_STATE, type TxidHash, TxidTable } from './txid-table.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const TXID_CHARS = 64;
/** Ids between two turns of the event loop: about a millisecond. */
const SLICE = 4_096;

/** One list of the mempool. */
export interface TxidList {
  readonly table: TxidTable;
  /** Ids that the previous list lacked. */
  readonly added: TxidSpan;
  /** Ids that it had and that are still unread. */
  readonly backlog: TxidSpan;
  /** Ids that the node did not return when they were read. */
  readonly withheld: TxidSpan;
}

/** Some ids of a list, which become strings only when they are taken. */
export interface TxidSpan {
  readonly length: number;
  take(start: number, end: number): string[];
}

/**
 * Scans a list of transaction ids into a table, with the states of the previous one, and yields to the event loop
 * every few thousand ids.
 * @throws {ChainError} bad_answer when it is not a list of transaction ids
 */
export async function scanTxids(bytes: TxidBytes, previous: TxidTable, hash: TxidHash): Promise<TxidList> {
  const list = await scan(bytes, previous, hash);
  // Valid JSON in an unusual form, such as with spaces: rare enough for the slow parser.
  return list ?? (await scan(parseTxids(bytes), previous, hash)) ?? fail();
}

async function scan(bytes: TxidBytes, previous: TxidTable, hash: TxidHash): Promise<TxidList | null> {
  const count = (bytes.length + 1) / TXID_ENTRY;
  if (bytes.length > 0 && !Number.isInteger(count)) return null;
  const table = new TxidTable(Math.floor(count));
  const [added, backlog, withheld]: [number[], number[], number[]] = [[], [], []];
  for (let start = 0; start < bytes.length; start += SLICE * TXID_ENTRY) {
    const end = Math.min(bytes.length, start + SLICE * TXID_ENTRY);
    for (let at = start; at < end; at += TXID_ENTRY) {
      if (!isEntry(bytes, at) || !hash.hash(bytes, at + 1)) return null;
      const state = previous.get(hash.high, hash.low);
      table.set(hash.high, hash.low, state ?? TX_STATE.unread);
      if (state === undefined) added.push(at + 1);
      else if (state === TX_STATE.unread) backlog.push(at + 1);
      else if (state === TX_STATE.withheld) withheld.push(at + 1);
    }
    if (end < bytes.length) await turn();
  }
  const [first, second, third] = [
    findSpan(bytes, added),
    findSpan(bytes, backlog),
    findSpan(bytes, withheld),
  ];
  return { table, added: first, backlog: second, withheld: third };
}

/** Whether an entry has its quotes, and a comma unless it is the last one. */
function isEntry(bytes: TxidBytes, at: number): boolean {
  const end = at + TXID_CHARS + 1;
  if (bytes[at] !== QUOTE || bytes[end] !== QUOTE) return false;
  return end + 1 === bytes.length || bytes[end + 1] === COMMA;
}

function findSpan(bytes: TxidBytes, offsets: readonly number[]): TxidSpan {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    length: offsets.length,
    take: (start, end) =>
      offsets.slice(start, end).map((offset) => text.toString('latin1', offset, offset + TXID_CHARS)),
  };
}

function parseTxids(bytes: TxidBytes): TxidBytes {
  try {
    return toTxidBytes(HASH.array().parse(JSON.parse(`[${Buffer.from(bytes).toString('latin1')}]`)));
  } catch (error) {
    return fail(error);
  }
}

function fail(cause?: unknown): never {
  throw new ChainError('bad_answer', "getrawmempool: the node's answer is not a list of transaction ids", {
    cause,
  });
}
