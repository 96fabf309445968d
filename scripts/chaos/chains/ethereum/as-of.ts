import { refusal, result, type Call, type Reply } from '../../json-rpc.ts';
import type { Rewrite } from '../../mischief.ts';
import { hex, orNull, type AnvilOf } from './ask.ts';

const UNKNOWN_BLOCK = 'header not found';

/** Responses of a backend whose head is at a height. */
export function asOf(anvil: AnvilOf, height: number): Rewrite {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    orNull(anvil().rpc(method, params));
  const isLater = async (blockHash: unknown): Promise<boolean> =>
    isAbove(await ask('eth_getBlockByHash', [blockHash, false]), 'number', height);
  /** A query of a state: by tag, number or hash of a block. */
  const stateful = async (call: Call, reply: Reply): Promise<Reply> => {
    const at = call.params[1] as { blockHash?: string } | string | undefined;
    if (typeof at === 'object') {
      return (await isLater(at.blockHash)) ? refusal(call, -32000, UNKNOWN_BLOCK) : reply;
    }
    if (at !== undefined && at.startsWith('0x') && Number(at) > height) {
      return refusal(call, -32000, UNKNOWN_BLOCK);
    }
    if (at !== undefined && at.startsWith('0x')) return reply;
    return result(call, await ask(call.method, [call.params[0], hex(height), ...call.params.slice(2)]));
  };
  return async (call, reply) => {
    const { method, params } = call;
    switch (method) {
      case 'eth_blockNumber':
        return result(call, hex(height));
      case 'eth_getBlockByNumber':
        return blockByNumber(call, reply, { height, ask });
      case 'eth_getBlockByHash':
        return isAbove(reply.result, 'number', height) ? result(call, null) : reply;
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return isAbove(reply.result, 'blockNumber', height) ? result(call, null) : reply;
      case 'eth_getBalance':
      case 'eth_getTransactionCount':
      case 'eth_call':
      case 'eth_getCode':
        return stateful(call, reply);
      case 'debug_traceBlockByHash':
        return (await isLater(params[0])) ? refusal(call, -32000, 'block not found') : reply;
      case 'trace_block':
        return Number(params[0]) > height ? refusal(call, -32000, 'block not found') : reply;
      default:
        return reply;
    }
  };
}

async function blockByNumber(
  call: Call,
  reply: Reply,
  view: {
    readonly height: number;
    readonly ask: (method: string, params: readonly unknown[]) => Promise<unknown>;
  },
): Promise<Reply> {
  const { height, ask } = view;
  const [number, isFull] = call.params;
  const lags: Readonly<Record<string, number>> = { latest: 0, safe: 32, finalized: 64 };
  const lag = lags[String(number)];
  if (lag !== undefined) {
    return result(call, await ask(call.method, [hex(Math.max(0, height - lag)), isFull]));
  }
  return number === 'pending' || Number(number) > height ? result(call, null) : reply;
}

function isAbove(value: unknown, field: string, height: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const at = (value as Record<string, unknown>)[field];
  return typeof at === 'string' && Number(at) > height;
}
