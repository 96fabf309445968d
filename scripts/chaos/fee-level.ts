import { result, type Call, type Reply } from './json-rpc.ts';
import type { Mischief } from './mischief.ts';
import type { FeeSpike } from './plan.ts';

/** Bitcoin's and Litecoin's usual rate here, coins per kvB: 1 sat/vB. */
const COINS_PER_KVB = 0.00001;
const WEI_PER_GAS = 1_000_000_000n;
const MICRO_LAMPORTS_PER_UNIT = 2_000;

/** The fee rate that the node reports during a spike, for every family. */
export function feeSpike({ times }: FeeSpike): Mischief {
  return {
    name: 'fee-spike',
    details: `${times} times the usual rate`,
    rewriter: () => (call, reply) => atLevel(call, reply, times),
  };
}

function hex(wei: bigint): string {
  return `0x${wei.toString(16)}`;
}

function atLevel(call: Call, reply: Reply, times: number): Reply {
  switch (call.method) {
    case 'estimatesmartfee':
      return result(call, { feerate: Number((COINS_PER_KVB * times).toFixed(8)), blocks: 2 });
    case 'eth_maxPriorityFeePerGas':
      return result(call, hex(WEI_PER_GAS * BigInt(times)));
    case 'eth_gasPrice':
      return result(call, hex(WEI_PER_GAS * BigInt(times + 1)));
    case 'getRecentPrioritizationFees':
      return result(call, [{ slot: 1, prioritizationFee: MICRO_LAMPORTS_PER_UNIT * times }]);
    default:
      return reply;
  }
}
