/** Funded wallets on networks in memory that a test mines, forks and cheats. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator } from '../../src/chains/simulator/simulator.ts';
import type { FeeQuote } from '../../src/domain/chain.ts';
import { createSimulatorStore } from '../../src/store/simulator.ts';
import { AccountChain } from './account-chain.ts';
import { LifeLine } from './send-line.ts';
import { FINAL_DEPTH, type LifeNetwork, ORDERS } from './send-steps.ts';
import { ONE } from './simulated-world.ts';
import { openWalletWorld, silent, type WalletWorld } from './wallet-world.ts';

const COIN = 'BTC';

export interface Life {
  readonly world: WalletWorld;
  readonly network: LifeNetwork & {
    /** A payer pays an address, unconfirmed at first. */
    payTo(address: string, amount: bigint): Promise<void>;
  };
  readonly line: LifeLine;
  readonly close: () => Promise<void>;
}

/** A funded wallet on the simulated network of outputs, whose money no fork takes back. */
export async function openOutputs(): Promise<Life> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-life-'));
  const line = new LifeLine();
  let rate = 5_000n;
  let simulator: ReturnType<typeof createSimulator> | undefined;
  const world = await openWalletWorld({
    dir,
    mode: 'sandbox',
    policy: { surplusDepth: FINAL_DEPTH },
    connect: (context) => {
      const { db, clock } = context;
      const chain = { coin: COIN, mode: 'sandbox' } as const;
      const store = createSimulatorStore(db);
      const made = createSimulator({
        coin: COIN,
        store,
        index: context.index(chain),
        clock,
        logger: silent,
        blockIntervalMs: 3_600_000,
      });
      simulator = made;
      const quote = async (): Promise<FeeQuote> => ({ ...(await made.adapter.feeQuote()), rate });
      return [line.over({ ...made.adapter, feeQuote: quote })];
    },
  });
  if (simulator === undefined) throw new Error('no chain was connected');
  const { control } = simulator;
  const store = createSimulatorStore(world.db);
  const network: Life['network'] = {
    coin: COIN,
    payTo: async (address, amount) => void (await control.pay([{ address, amount }])),
    landed: async () =>
      store.transact(COIN, async (ledger) => {
        const found = [...(await ledger.minedFrom(0)), ...(await ledger.mempool())];
        return found.map(({ txid, height, outputs }) => ({
          txid,
          height,
          pays: outputs.map(({ address }) => address),
        }));
      }),
    pay: async (coins) => {
      await control.pay([{ address: world.address(COIN), amount: BigInt(coins) * ONE.BTC }]);
    },
    mine: async (count) => void (await control.mine(count)),
    reorg: async (depth, fate) => control.reorg({ depth, fate }),
    drop: async (txid) => control.drop(txid),
    steal: async (txid) => void (await control.replace(txid)),
    raiseFees: () => {
      rate *= 2n;
    },
    destination: (order) =>
      world.deps.deriver.address({ coin: COIN, mode: 'sandbox', account: 9, branch: 0, index: order }),
  };
  await world.sync(COIN);
  const address = world.address(COIN);
  await control.pay([1n, 2n, 4n].map((coins) => ({ address, amount: coins * ONE.BTC })));
  await control.mine(FINAL_DEPTH);
  await world.sync(COIN);
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { world, network, line, close };
}

/** The same on a network of accounts and nonces. What the last order pays fails whenever it is executed. */
export async function openAccounts(): Promise<Life> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-life-'));
  const line = new LifeLine();
  let chain: AccountChain | undefined;
  const world = await openWalletWorld({
    dir,
    mode: 'live',
    policy: { surplusDepth: FINAL_DEPTH },
    connect: (context) => {
      chain = new AccountChain(context.clock);
      return [line.over(chain.adapter(context.index({ coin: 'ETH', mode: 'live' })))];
    },
  });
  if (chain === undefined) throw new Error('no chain was connected');
  const made = chain;
  const network = Object.assign(made, {
    payTo: async (address: string, amount: bigint) => made.give(address, amount),
    pay: async (coins: number) => made.give(world.address('ETH'), BigInt(coins) * ONE.ETH),
    destination: (order: number) =>
      world.deps.deriver.address({ coin: 'ETH', mode: 'live', account: 9, branch: 0, index: order }),
  });
  network.failing.add(network.destination(ORDERS - 1).toLowerCase());
  await world.sync('ETH');
  for (const coins of [1, 2, 4]) await network.pay(coins);
  await network.mine(FINAL_DEPTH);
  await world.sync('ETH');
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { world, network, line, close };
}
