/** A merchant's wallet on the sandbox network of all four coins. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatorControl } from '../../src/domain/simulator-control.ts';
import { createSimulator } from '../../src/chains/simulator/simulator.ts';
import type {
  BroadcastResult,
  ChainAdapter,
  TransactionFate,
  FeeQuote,
  StoredTransaction,
} from '../../src/domain/chain.ts';
import { COINS, type Coin } from '../../src/domain/coins.ts';
import { createSimulatorStore } from '../../src/store/simulator.ts';
import { getSend } from '../../src/usecases/wallet/send/get-send.ts';
import { sendCoins, type SendCoinsInput } from '../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../src/usecases/wallet/send/send-view.ts';
import type { SendPolicy } from '../../src/domain/send/policy.ts';
import { withMostInputs } from './most-inputs.ts';
import { signed } from './signed.ts';
import { openWalletWorld, silent, type WalletWorld } from './wallet-world.ts';

/** One whole coin in atoms. */
export const ONE: Readonly<Record<Coin, bigint>> = {
  BTC: 10n ** 8n,
  ETH: 10n ** 18n,
  LTC: 10n ** 8n,
  SOL: 10n ** 9n,
};

/** Stands between the wallet and the simulated node, as a bad line would. */
export interface Line {
  /** Replaces the answer of the next broadcasts; null lets them through. */
  broadcast: ((transaction: StoredTransaction, send: Send) => Promise<BroadcastResult>) | null;
  /** Replaces what the node says became of transactions. */
  fate: TransactionFate | null;
  /** Replaces the fee level. */
  quote: FeeQuote | null;
  /** Every transaction offered, in order. */
  readonly offered: StoredTransaction[];
}

type Send = () => Promise<BroadcastResult>;

export interface SimulatedWorld {
  readonly world: WalletWorld;
  readonly line: Line;
  control(coin: Coin): SimulatorControl;
  /** Pays the merchant's address in one output per amount and mines it. */
  fund(coin: Coin, ...amounts: readonly bigint[]): Promise<void>;
  /** Mines and lets the ledger read it. */
  mine(coin: Coin, blocks?: number): Promise<void>;
  /** A foreign address on the same network. */
  stranger(coin: Coin, index?: number): string;
  order(coin: Coin, amount: string, more?: Partial<SendCoinsInput>): SendCoinsInput;
  send(
    coin: Coin,
    amount: string,
    more?: Partial<SendCoinsInput>,
  ): Promise<SendView & { readonly txHash: string }>;
  status(sendId: string): Promise<SendView>;
  close(): Promise<void>;
}

export async function openSimulatedWorld(
  policy: Partial<SendPolicy> = {},
  { mostInputs }: { readonly mostInputs?: number } = {},
): Promise<SimulatedWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'tilld-wallet-'));
  const line: Line = { broadcast: null, fate: null, quote: null, offered: [] };
  const controls = new Map<Coin, SimulatorControl>();
  const world = await openWalletWorld({
    dir,
    mode: 'sandbox',
    policy,
    connect: (context) => {
      const { db, clock } = context;
      const store = createSimulatorStore(db);
      return COINS.map((coin) => {
        const simulator = createSimulator({
          coin,
          store,
          index: context.index({ coin, mode: 'sandbox' }),
          clock,
          logger: silent,
          blockIntervalMs: 3_600_000,
        });
        controls.set(coin, simulator.control);
        const adapter = overLine(simulator.adapter, line);
        return mostInputs === undefined ? adapter : withMostInputs(adapter, mostInputs);
      });
    },
  });
  const control = (coin: Coin): SimulatorControl => {
    const found = controls.get(coin);
    if (found === undefined) throw new Error(`no simulated ${coin}`);
    return found;
  };
  const stranger: SimulatedWorld['stranger'] = (coin, index = 7) =>
    world.deps.deriver.address({ coin, mode: 'sandbox', account: 999, branch: 0, index });
  const order: SimulatedWorld['order'] = (coin, amount, more = {}) => ({
    merchant: world.merchant,
    destination: stranger(coin),
    amount,
    coin,
    idempotencyKey: null,
    ...more,
  });
  return {
    world,
    line,
    control,
    stranger,
    order,
    send: async (coin, amount, more) => signed(await sendCoins(world.deps, order(coin, amount, more))),
    status: async (sendId) => getSend(world.deps, { merchantId: world.merchant.id, sendId }),
    mine: async (coin, blocks = 1) => {
      await control(coin).mine(blocks);
      await world.sync(coin);
    },
    fund: async (coin, ...amounts) => {
      await world.sync(coin);
      const address = world.address(coin);
      await control(coin).pay(amounts.map((amount) => ({ address, amount })));
      await control(coin).mine(1);
      await world.sync(coin);
    },
    close: async () => {
      await world.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function overLine(adapter: ChainAdapter, line: Line): ChainAdapter {
  return {
    ...adapter,
    feeQuote: async () => line.quote ?? adapter.feeQuote(),
    recheck: async (transactions) => {
      const { fate } = line;
      return fate === null
        ? adapter.recheck(transactions)
        : new Map(transactions.map(({ txid }) => [txid, fate]));
    },
    broadcast: async (transaction) => {
      line.offered.push(transaction);
      const send = async () => adapter.broadcast(transaction);
      return line.broadcast === null ? send() : line.broadcast(transaction, send);
    },
  };
}
