import { randomBytes } from 'node:crypto';
import type { Coin } from '../../domain/coins.ts';
import { assertNever } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { SimulatedTransaction, SimulatorLedger, SimulatorStore } from '../../domain/simulator.ts';
import {
  SimulatorRefusal,
  type PaidOrder,
  type SimulatedReorgFate,
  type SimulatorControl,
} from '../../domain/simulator-control.ts';
import { COIN_FORMATS } from './formats.ts';
import { acceptToMempool, evict, faucetInput, feeToReplace, mineBlock, requireTip } from './node-rules.ts';
import { createFaucetTransaction } from './raw-transaction.ts';

/** Blocks one call may mine. */
const MAX_BLOCKS_AT_ONCE = 1_000;
/** Far deeper than any real one, and well within the blocks that a watcher stores. */
const MAX_REORG_DEPTH = 100;

interface ControlDeps {
  readonly coin: Coin;
  readonly store: SimulatorStore;
  readonly clock: Clock;
}

/** Acts as payer and miner on the sandbox network. */
export function createSimulatorControl(deps: ControlDeps): SimulatorControl {
  const { coin, store, clock } = deps;
  return {
    paid: async (order) => store.transact(coin, async (ledger) => paidOrder(ledger, order)),
    pay: async (outputs, order = null) => {
      requirePayable(coin, outputs);
      return store.transact(coin, async (ledger) => {
        const before = order === null ? null : await paidOrder(ledger, order);
        if (before !== null) return before.txid;
        const made = createFaucetTransaction(
          coin,
          [faucetInput(order)],
          outputs,
          usualFee(coin, outputs.length),
        );
        await admitOrRefuse(ledger, { ...made, createdAt: clock.now() });
        return made.txid;
      });
    },
    mine: async (count) => {
      requireCount(count);
      return store.transact(coin, async (ledger) => {
        for (let mined = 0; mined < count; mined += 1) await mineBlock(ledger, coin, clock.now());
        return (await requireTip(ledger, coin, clock.now())).height;
      });
    },
    replace: async (txid, address = strangerAddress(coin)) =>
      store.transact(coin, async (ledger) => {
        const victim = await requireUnconfirmed(ledger, txid);
        const rival = await doubleSpend(deps, ledger, victim, address);
        await admitOrRefuse(ledger, rival);
        return rival.txid;
      }),
    reorg: async (request) => store.transact(coin, async (ledger) => reorganise(deps, ledger, request)),
    drop: async (txid) =>
      store.transact(coin, async (ledger) => evict(ledger, [await requireUnconfirmed(ledger, txid)])),
  };
}

/** Finds the payment of an order: the first transaction that spends its input; a double spend comes later. */
async function paidOrder(ledger: SimulatorLedger, order: string): Promise<PaidOrder | null> {
  const spends = await ledger.listSpends([faucetInput(order)]);
  const made = await ledger.transactions(spends.map(({ byTxid }) => byTxid));
  const [first] = made.toSorted((a, b) => a.createdAt - b.createdAt || (a.fee < b.fee ? -1 : 1));
  return first === undefined ? null : { txid: first.txid, isGone: first.state === 'dropped' };
}

interface ReorgRequest {
  readonly depth?: number;
  readonly fate: SimulatedReorgFate;
  readonly txids?: readonly string[];
}

async function reorganise(
  deps: ControlDeps,
  ledger: SimulatorLedger,
  { fate, txids, ...request }: ReorgRequest,
): Promise<void> {
  const { coin, clock } = deps;
  const tip = await requireTip(ledger, coin, clock.now());
  const depth = request.depth ?? (await reorgDepth(ledger, txids ?? [], tip.height));
  if (!Number.isInteger(depth) || depth < 1 || depth > MAX_REORG_DEPTH) {
    throw new SimulatorRefusal(`a reorganisation is 1 to ${MAX_REORG_DEPTH} blocks deep`);
  }
  const fork = tip.height - depth;
  if (fork < 0 || (await ledger.block(fork)) === null) {
    throw new SimulatorRefusal(`the chain has no ${depth} blocks to undo`);
  }
  const undone = await ledger.minedFrom(fork + 1);
  await ledger.setState(
    undone.map((transaction) => transaction.txid),
    'mempool',
    null,
  );
  await ledger.removeBlocksFrom(fork + 1);
  const victims = txids === undefined ? undone : undone.filter(({ txid }) => txids.includes(txid));
  await meetFate(deps, ledger, victims, fate);
  for (let mined = 0; mined < depth; mined += 1) await mineBlock(ledger, coin, clock.now(), { empty: true });
  await mineBlock(ledger, coin, clock.now());
}

/** How many blocks must be removed to unconfirm the oldest of these transactions. */
async function reorgDepth(
  ledger: SimulatorLedger,
  txids: readonly string[],
  tipHeight: number,
): Promise<number> {
  const heights = (await ledger.transactions(txids)).flatMap(({ height }) => height ?? []);
  if (heights.length === 0) throw new SimulatorRefusal('no such transaction is in a block');
  return tipHeight - Math.min(...heights) + 1;
}

async function meetFate(
  deps: ControlDeps,
  ledger: SimulatorLedger,
  victims: readonly SimulatedTransaction[],
  fate: SimulatedReorgFate,
): Promise<void> {
  switch (fate) {
    case 'moved':
      return;
    case 'dropped':
      return evict(ledger, victims);
    case 'replaced':
      await evict(ledger, victims);
      for (const victim of victims) {
        const rival = await doubleSpend(deps, ledger, victim, strangerAddress(deps.coin));
        // A victim that spent another victim's money has no remaining inputs to double-spend.
        await acceptToMempool(ledger, rival);
      }
      return;
    default:
      return assertNever(fate);
  }
}

/** Spends the same inputs to one address, at a fee high enough to replace. */
async function doubleSpend(
  { coin, clock }: ControlDeps,
  ledger: SimulatorLedger,
  victim: SimulatedTransaction,
  address: string,
): Promise<Parameters<typeof acceptToMempool>[1]> {
  const fee = await feeToReplace(ledger, victim);
  const funds = victim.outputs.reduce((sum, output) => sum + output.amount, victim.fee);
  const amount = funds > fee ? funds - fee : 1n;
  const made = createFaucetTransaction(coin, victim.inputs, [{ address, amount }], fee);
  return { ...made, createdAt: clock.now() };
}

async function requireUnconfirmed(ledger: SimulatorLedger, txid: string): Promise<SimulatedTransaction> {
  const transaction = await ledger.transaction(txid);
  if (transaction?.state !== 'mempool') throw new SimulatorRefusal(`${txid} is not unconfirmed`);
  return transaction;
}

async function admitOrRefuse(
  ledger: SimulatorLedger,
  transaction: Parameters<typeof acceptToMempool>[1],
): Promise<void> {
  const result = await acceptToMempool(ledger, transaction);
  if (result.kind !== 'accepted') throw new SimulatorRefusal(result.reason);
}

function requirePayable(coin: Coin, outputs: readonly { address: string; amount: bigint }[]): void {
  if (outputs.length === 0) throw new SimulatorRefusal('a transaction needs an output');
  for (const { address, amount } of outputs) {
    const problem = COIN_FORMATS[coin].validateAddress(address);
    if (problem !== null) throw new SimulatorRefusal(`${address} ${problem}`);
    if (amount <= 0n) throw new SimulatorRefusal('an output must pay something');
  }
}

function requireCount(count: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= MAX_BLOCKS_AT_ONCE) return;
  throw new SimulatorRefusal(`a number of blocks is 1 to ${MAX_BLOCKS_AT_ONCE}`);
}

function usualFee(coin: Coin, outputs: number): bigint {
  const format = COIN_FORMATS[coin];
  return (format.size(1, outputs) * format.feeRate) / 1_000n + 1n;
}

/** A fresh address outside the wallet. */
function strangerAddress(coin: Coin): string {
  const format = COIN_FORMATS[coin];
  return format.addressOf(format.publicKey(randomBytes(32)));
}
