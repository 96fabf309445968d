import { z } from 'zod';
import { type InternalTransfer, otherBlock, readTraces } from './internal-transfers.ts';
import { type Block, quantityText } from '../rpc/node-answers.ts';

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
    blockHash: z.string(),
    transactionHash: z.string().nullish(),
    transactionPosition: z.number().nullish(),
    traceAddress: z.array(z.number()),
  }),
);
type FlatTrace = z.infer<typeof FLAT_TRACES>[number];

/** The transfers in trace_block's answer. @throws {ChainError} when the traces are not of this block */
export function fromFlat(answer: unknown, block: Block): InternalTransfer[] {
  const traces = readTraces(FLAT_TRACES, answer);
  const found: InternalTransfer[] = [];
  const counted = new Map<number, number>();
  const whole = new Set<number>();
  const failures = new Map<number, Failures>();
  for (const trace of traces) {
    const position = trace.transactionPosition;
    // Block rewards belong to no transaction.
    if (position === undefined || position === null) continue;
    if (!isInBlock(block, trace, position)) throw otherBlock(block);
    if (trace.traceAddress.length === 0) whole.add(position);
    let failed = failures.get(position);
    if (failed === undefined) failures.set(position, (failed = noFailures()));
    if (trace.error !== undefined) addFailure(failed, trace.traceAddress);
    const transfer = flatTransfer(trace);
    if (trace.traceAddress.length === 0 || transfer === null) continue;
    const index = (counted.get(position) ?? 0) + 1;
    counted.set(position, index);
    if (!isUndone(failed, trace.traceAddress)) found.push({ position, index, ...transfer });
  }
  // Every transaction has its own trace, so an empty list comes from a backend without the block.
  if (whole.size < block.transactions.length) throw otherBlock(block);
  return found;
}

/**
 * Whether a trace is of this block: requested by height, it may belong to another backend's block or a
 * reorganised one.
 */
function isInBlock(block: Block, { blockHash, transactionHash }: FlatTrace, position: number): boolean {
  const transaction = block.transactions[position];
  if (transaction === undefined || blockHash.toLowerCase() !== block.hash) return false;
  return (transactionHash ?? transaction.hash).toLowerCase() === transaction.hash;
}

/** Null when the trace moves no money. */
function flatTransfer({ type, action, result }: FlatTrace): { to: string; value: bigint } | null {
  const to = type === 'suicide' ? action.refundAddress : type === 'create' ? result?.address : action.to;
  const value = BigInt((type === 'suicide' ? action.balance : action.value) ?? '0x0');
  const isBorrowed = type === 'call' && action.callType !== 'call';
  return to === undefined || value === 0n || isBorrowed ? null : { to: to.toLowerCase(), value };
}

/**
 * A transaction's failed calls as a tree of trace addresses. One block can hold a hundred thousand of them, so a
 * lookup costs the depth of the call, not the number of failures.
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

/** Whether the call at this trace address, or one of its ancestors, failed. */
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
