import { z } from 'zod';
import { ChainError } from '../../domain/chain.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { type Block, isQuantityText, quantityText } from './node-answers.ts';
import type { NodeClient } from './node-client.ts';

/** One internal transfer, in trace order within its transaction. */
export interface InternalTransfer {
  /** Position of the transaction in the block. */
  readonly position: number;
  /** 1 and up: 0 is the transaction's own transfer. */
  readonly index: number;
  readonly to: string;
  readonly value: bigint;
}

/** Reads the internal transfers of blocks from nodes that trace; of others, and of a block that cannot be traced, null. */
export interface Tracer {
  transfers(block: Block): Promise<readonly InternalTransfer[] | null>;
}

interface Frame {
  readonly type: string;
  readonly to?: string | undefined;
  readonly value?: string | undefined;
  readonly error?: string | undefined;
  readonly calls?: readonly Frame[] | undefined;
}

const FRAME: z.ZodType<Frame> = z.object({
  type: z.string(),
  to: z.string().optional(),
  value: quantityText.optional(),
  error: z.string().optional(),
  get calls() {
    return z.array(FRAME).optional();
  },
});

const CALL_TRACES = z.array(
  z.object({
    txHash: z.string().optional(),
    result: FRAME.optional(),
    /** Why there is no result: it took the node too long, for one. */
    error: z.string().optional(),
  }),
);

type CallTrace = z.infer<typeof CALL_TRACES>[number];

/** As CALL_TRACES has it, which makes a copy of every call; of what it takes as well, this may refuse some. */
function areCallTraces(answer: unknown): answer is readonly CallTrace[] {
  return Array.isArray(answer) && answer.every(isCallTrace);
}

function isCallTrace(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { txHash, result, error } = entry;
  return isTextOrNone(txHash) && isTextOrNone(error) && (result === undefined || isFrame(result));
}

function isFrame(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { type, to, value, error, calls } = entry;
  if (typeof type !== 'string' || !isTextOrNone(to) || !isTextOrNone(error)) return false;
  if (value !== undefined && !isQuantityText(value)) return false;
  return calls === undefined || (Array.isArray(calls) && calls.every(isFrame));
}

function isObject(entry: unknown): entry is Readonly<Record<string, unknown>> {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

const FLAT_TRACES = z.array(
  z.object({
    type: z.string(),
    action: z.object({
      callType: z.string().optional(),
      to: z.string().optional(),
      value: quantityText.optional(),
      refundAddress: z.string().optional(),
      balance: quantityText.optional(),
    }),
    result: z.object({ address: z.string().optional() }).nullish(),
    error: z.string().optional(),
    transactionPosition: z.number().nullish(),
    traceAddress: z.array(z.number()),
  }),
);
type FlatTrace = z.infer<typeof FLAT_TRACES>[number];

/** Frames that move money to `to`; delegate and static calls only borrow code. */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
/** How long a node without tracing is taken at its word before it is asked again. */
const ASK_AGAIN_MS = 600_000;

/**
 * How often a block is tried before it is read without its traces. For little money anybody can make a
 * transaction that no node traces in time, or whose trace is larger than what is accepted: Ethereum would stand still
 * at its block. What contracts pay in it is then told by balances, as with nodes that do not trace.
 */
const TRIES = 3;
/**
 * After so many blocks in a row that could not be traced, others are tried once, until one can be: of old blocks a
 * node may trace none, and with the pauses between tries the chain would grow faster than it is read.
 */
const HOPELESS = 3;

interface TracerDeps {
  readonly client: Pick<NodeClient, 'trace'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Uses geth's callTracer where there is one, else Parity's trace_block, else nothing. */
export function createTracer({ client, clock, logger }: TracerDeps): Tracer {
  let silentUntil = 0;
  let failed = { hash: '', tries: 0 };
  let untraced = 0;

  async function transfers(block: Block): Promise<readonly InternalTransfer[] | null> {
    const calls = await client.trace('debug_traceBlockByHash', [block.hash, { tracer: 'callTracer' }]);
    if (calls !== null)
      return understood(() => fromCalls(areCallTraces(calls) ? calls : read(CALL_TRACES, calls), block));
    const flat = await client.trace('trace_block', [`0x${block.number.toString(16)}`]);
    if (flat !== null) return understood(() => fromFlat(read(FLAT_TRACES, flat), block));
    silentUntil = clock.now() + ASK_AGAIN_MS;
    return null;
  }

  return {
    async transfers(block) {
      if (block.transactions.length === 0) return [];
      if (clock.now() < silentUntil) return null;
      try {
        const found = await transfers(block);
        untraced = 0;
        return found;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        failed = { hash: block.hash, tries: failed.hash === block.hash ? failed.tries + 1 : 1 };
        if (untraced < HOPELESS && failed.tries < TRIES) throw error;
        untraced += 1;
        if (untraced > HOPELESS) return null;
        logger.warn(
          { coin: 'ETH', height: block.number, tries: failed.tries, error: error.message },
          'a block cannot be traced: what contracts pay in it is told by balances',
        );
        return null;
      }
    },
  };
}

/** Calls may be nested deeper than the stack can follow. */
function understood<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ChainError('bad_answer', 'the calls of a block trace are nested too deep', { cause: error });
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const value = schema.safeParse(answer);
  if (value.success) return value.data;
  throw new ChainError(
    'bad_answer',
    `a block trace has an unexpected form: ${value.error.issues[0]?.message}`,
  );
}

function fromCalls(traces: readonly CallTrace[], block: Block): InternalTransfer[] {
  const isWhole =
    traces.length === block.transactions.length &&
    traces.every(({ txHash }, at) => txHash === undefined || txHash === block.transactions[at]?.hash);
  if (!isWhole) throw new ChainError('unavailable', `the trace of block ${block.number} is of another block`);
  return traces.flatMap(({ result, error }, position) => {
    if (result === undefined) {
      const transaction = block.transactions[position]?.hash;
      throw new ChainError(
        'unavailable',
        `transaction ${transaction} has no trace: ${error ?? 'no reason given'}`,
      );
    }
    const found: InternalTransfer[] = [];
    let index = 0;
    /** Below a reverted call nothing happened, although its children carry no error of their own. */
    const visit = (frame: Frame): void => {
      if (frame.error !== undefined) return;
      for (const call of frame.calls ?? []) {
        if (moves(call)) {
          index += 1;
          const value = BigInt(call.value ?? '0x0');
          if (call.error === undefined) {
            found.push({ position, index, to: (call.to ?? '').toLowerCase(), value });
          }
        }
        visit(call);
      }
    };
    visit(result);
    return found;
  });
}

function moves(frame: Frame): boolean {
  return MOVING.has(frame.type) && BigInt(frame.value ?? '0x0') > 0n;
}

function fromFlat(traces: readonly FlatTrace[], block: Block): InternalTransfer[] {
  const found: InternalTransfer[] = [];
  const counted = new Map<number, number>();
  const failures = new Map<number, Failures>();
  for (const trace of traces) {
    const position = trace.transactionPosition;
    // Block rewards belong to no transaction.
    if (position === undefined || position === null) continue;
    if (position >= block.transactions.length) {
      throw new ChainError('unavailable', `the trace of block ${block.number} is of another block`);
    }
    let failed = failures.get(position);
    if (failed === undefined) failures.set(position, (failed = noFailures()));
    if (trace.error !== undefined) addFailure(failed, trace.traceAddress);
    const transfer = flatTransfer(trace);
    if (trace.traceAddress.length === 0 || transfer === null) continue;
    const index = (counted.get(position) ?? 0) + 1;
    counted.set(position, index);
    if (!isUndone(failed, trace.traceAddress)) found.push({ position, index, ...transfer });
  }
  return found;
}

/** Null when the trace moves no money. */
function flatTransfer({ type, action, result }: FlatTrace): { to: string; value: bigint } | null {
  const to = type === 'suicide' ? action.refundAddress : type === 'create' ? result?.address : action.to;
  const value = BigInt((type === 'suicide' ? action.balance : action.value) ?? '0x0');
  const isBorrowed = type === 'call' && action.callType !== 'call';
  return to === undefined || value === 0n || isBorrowed ? null : { to: to.toLowerCase(), value };
}

/**
 * The calls of a transaction that failed, by where they stand. Somebody may have paid for a hundred thousand of
 * them in one block: what is asked takes as long as the place is deep, however many there are.
 */
interface Failures {
  isFailed: boolean;
  readonly below: Map<number, Failures>;
}

function noFailures(): Failures {
  return { isFailed: false, below: new Map() };
}

function addFailure(failures: Failures, address: readonly number[]): void {
  let at = failures;
  for (const step of address) {
    let next = at.below.get(step);
    if (next === undefined) at.below.set(step, (next = noFailures()));
    at = next;
  }
  at.isFailed = true;
}

/** Whether the call there failed, or one above it. */
function isUndone(failures: Failures, address: readonly number[]): boolean {
  let at = failures;
  for (const step of address) {
    if (at.isFailed) return true;
    const next = at.below.get(step);
    if (next === undefined) return false;
    at = next;
  }
  return at.isFailed;
}
