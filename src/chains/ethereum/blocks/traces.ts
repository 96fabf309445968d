import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { fromFlat } from './flat-traces.ts';
import { type InternalTransfer, otherBlock, readTraces } from './internal-transfers.ts';
import { type Block, isQuantityText, quantityText } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { stale } from '../rpc/rpc-results.ts';
import type { RpcRequest } from '../../shared/json-rpc.ts';

/** Reads the internal transfers of blocks; null from a node without tracing, or for a block that cannot be traced. */
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
    /** Why there is no result, for example a timeout in the node. */
    error: z.string().optional(),
  }),
);

type CallTrace = z.infer<typeof CALL_TRACES>[number];

/** CALL_TRACES without its copy of every call; valid traces that it rejects go to the schema. */
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

/** Frames that move money to `to`; delegate and static calls move none. */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
/** Interval before a node without tracing is probed again. */
const ASK_AGAIN_MS = 600_000;

/**
 * Attempts before a block is read without its traces. Anyone can cheaply make a transaction that no node
 * traces in time, or whose trace exceeds the size limit: scanning would be stuck at its block. Contract
 * payments in it are then found by balances, as with nodes that do not trace.
 */
const TRIES = 3;
/**
 * After this many untraceable blocks in a row, further ones get a single attempt until one succeeds: a node may trace
 * no old blocks, and with the retry delays the chain would grow faster than it is read.
 */
const HOPELESS = 3;

interface TracerDeps {
  readonly client: Pick<NodeClient, 'trace'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Uses geth's callTracer where available, else Parity's trace_block, else nothing. */
export function createTracer({ client, clock, logger }: TracerDeps): Tracer {
  /** For each method that the node lacks, the time of the last attempt. */
  const lackedAt = new Map<string, number>();
  /** Result of the last block, reused when a later step fails and the block is read again. */
  let last: { readonly hash: string; readonly found: readonly InternalTransfer[] } | null = null;
  let failed = { hash: '', tries: 0 };
  let untraced = 0;

  /** The trace; null when the node has no such method. @throws {ChainError} when the node lacks the block. */
  async function traced(method: string, params: RpcRequest['params']): Promise<unknown> {
    const elapsedMs = clock.now() - (lackedAt.get(method) ?? -Infinity);
    // A negative time means that the clock was set back.
    if (elapsedMs >= 0 && elapsedMs < ASK_AGAIN_MS) return null;
    const response = await client.trace(method, params);
    if (response === null) lackedAt.set(method, clock.now());
    else if ((response.answer ?? null) === null) throw stale(`${method} knows no such block`);
    return response?.answer ?? null;
  }

  async function transfers(block: Block): Promise<readonly InternalTransfer[] | null> {
    if (last?.hash === block.hash) return last.found;
    const calls = await traced('debug_traceBlockByHash', [block.hash, { tracer: 'callTracer' }]);
    const flat = calls === null ? await traced('trace_block', [`0x${block.number.toString(16)}`]) : null;
    if (calls === null && flat === null) return null;
    const found = understood(() => {
      if (calls === null) return fromFlat(flat, block);
      return fromCalls(areCallTraces(calls) ? calls : readTraces(CALL_TRACES, calls), block);
    });
    last = { hash: block.hash, found };
    return found;
  }

  return {
    async transfers(block) {
      if (block.transactions.length === 0) return [];
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
          'tracing a block failed; payments from contracts are found by their balance changes',
        );
        return null;
      }
    },
  };
}

/** Turns a stack overflow into a ChainError: nested calls may be too deep for recursion. */
function understood<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ChainError('bad_answer', 'the calls of a block trace are nested too deep', { cause: error });
  }
}

function fromCalls(traces: readonly CallTrace[], block: Block): InternalTransfer[] {
  const isWhole =
    traces.length === block.transactions.length &&
    traces.every(({ txHash }, at) => txHash === undefined || txHash === block.transactions[at]?.hash);
  if (!isWhole) throw otherBlock(block);
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
    /** Skips reverted calls with all their children, which have no error field. */
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
