/** A merchant's live wallet on a regtest node, over a line that can be broken. */
import { flushCompileCache } from 'node:module';
import { createUtxoAdapter } from '../../src/chains/utxo/adapter.ts';
import { sendCoins } from '../../src/usecases/wallet/send/send-coins.ts';
import type { NodeCoin } from './nodes/index.ts';
import { prepareSends } from '../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { withMostInputs } from './most-inputs.ts';
import { openWalletWorld, type WalletWorld } from './wallet-world.ts';

export interface NodeWorldOptions {
  readonly dir: string;
  readonly coin: NodeCoin;
  readonly rpcUrl: string;
  /** Atoms per 1,000 vB; raises the fee level, which regtest nodes do not estimate. */
  readonly feeFloorRate?: bigint;
  readonly rpcTimeoutMs?: number;
  /** Inputs of one transaction, fewer than the network relays. */
  readonly mostInputs?: number;
}

export async function openNodeWorld(options: NodeWorldOptions): Promise<WalletWorld> {
  const { dir, coin, rpcUrl, feeFloorRate, rpcTimeoutMs = 5_000, mostInputs } = options;
  return openWalletWorld({
    dir,
    mode: 'live',
    connect: (context) => {
      const adapter = createUtxoAdapter({
        coin,
        network: 'regtest',
        rpcUrl,
        index: context.index({ coin, mode: 'live' }),
        clock: context.clock,
        logger: context.logger,
        feeFloorRate,
        rpcTimeoutMs,
      });
      return [mostInputs === undefined ? adapter : withMostInputs(adapter, mostInputs)];
    },
  });
}

/** What the process that is killed during a send does. */
export interface ChildOrder {
  readonly world: Pick<NodeWorldOptions, 'dir' | 'coin' | 'rpcUrl' | 'mostInputs'>;
  readonly destination: string;
  readonly amount: string;
  readonly idempotencyKey: string;
}

if (process.argv[1] === import.meta.filename) {
  // Node writes its cache of compiled code at the exit, which a killed process does not come to.
  flushCompileCache();
  const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;
  const world = await openNodeWorld({ ...order.world, rpcTimeoutMs: 60_000 });
  const { merchant, deps } = world;
  const { destination, amount, idempotencyKey } = order;
  const { coin } = order.world;
  await sendCoins(deps, { merchant, destination, amount, coin, idempotencyKey });
  // The next step of one that gathers its outputs, whatever the clock of the process before this one.
  world.clock.advance(2 * deps.policy.retryMaxMs);
  await prepareSends(deps, world.chain(coin));
  await world.close();
}
