import {
  ChainError,
  outputKey,
  type BroadcastResult,
  type ChainAdapter,
  type ChainIndex,
  type Credit,
  type Debit,
  type TransactionFate,
  type NodeStatus,
  type StoredTransaction,
  type UnconfirmedCredit,
} from '../../domain/chain.ts';
import { isUtxoCoin, type Coin } from '../../domain/coins.ts';
import type { Clock } from '../../domain/ports.ts';
import type { SimulatedTransaction, SimulatorLedger, SimulatorStore } from '../../domain/simulator.ts';
import { COIN_FORMATS } from './formats.ts';
import { activeRivals, acceptToMempool, requireTip } from './node-rules.ts';
import { paymentUri } from './payment-uri.ts';
import { planReplacement, planSend, quoteFee } from './plan.ts';
import {
  decodeInputs,
  isSignedByOwners,
  readSignedSpend,
  signSpend,
  transactionId,
  watchable,
} from './raw-transaction.ts';

/** Raw transactions longer than this are not stored for a rebroadcast. */
const MAX_KEPT_RAW_LENGTH = 20_000;

export interface SimulatorAdapterDeps {
  readonly coin: Coin;
  readonly store: SimulatorStore;
  readonly index: ChainIndex;
  readonly clock: Clock;
}

/** Adapter of the sandbox network: the same port as for real nodes. */
export function createSimulatorAdapter(deps: SimulatorAdapterDeps): ChainAdapter {
  const { coin } = deps;
  const format = COIN_FORMATS[coin];
  return {
    coin,
    mode: 'sandbox',
    network: 'testnet',
    minimumPayment: format.minimumPayment,
    ...chainReader(deps),
    unconfirmed: async () => readUnconfirmed(deps),
    recheck: async (transactions) => recheck(deps, transactions),
    broadcast: async (transaction) => broadcast(deps, transaction),
    validateAddress: (address) => format.validateAddress(address),
    watchKey: (address) => format.canonical(address),
    paymentUri: (request) => paymentUri(coin, request),
    feeQuote: async () => quoteFee(coin, deps.clock.now()),
    planSend: (request) => planSend(coin, request),
    planReplacement: (request) => planReplacement(coin, request),
    signSend: async (plan, keys) => signSpend(coin, plan, keys),
    close: async () => {},
  };
}

type Ask = <T>(work: (ledger: SimulatorLedger) => Promise<T>) => Promise<T>;

/** Queries the simulated node; to the caller, a failing store looks like a node that does not answer. */
function asker(deps: SimulatorAdapterDeps): Ask {
  return async (work) => {
    try {
      return await deps.store.transact(deps.coin, work);
    } catch (error) {
      if (error instanceof ChainError) throw error;
      throw new ChainError('unavailable', `the ${deps.coin} sandbox network does not respond`, {
        cause: error,
      });
    }
  };
}

type ChainReader = Pick<ChainAdapter, 'inputsOf' | 'status' | 'tip' | 'hashAt' | 'blockBefore' | 'blockAt'>;

function chainReader(deps: SimulatorAdapterDeps): ChainReader {
  const ask = asker(deps);
  const readTip = async (ledger: SimulatorLedger) => requireTip(ledger, deps.coin, deps.clock.now());
  return {
    status: async () => ask(async (ledger) => readStatus(await readTip(ledger), await lowestBlock(ledger))),
    tip: async () =>
      ask(async (ledger) => {
        const { height, hash } = await readTip(ledger);
        return { height, hash };
      }),
    inputsOf: decodeInputs,
    hashAt: async (height) =>
      ask(async (ledger) => {
        await readTip(ledger);
        return (await ledger.block(height))?.hash ?? null;
      }),
    blockBefore: async (timeMs) =>
      ask(async (ledger) => {
        const tip = await readTip(ledger);
        return (await ledger.blockBefore(timeMs)) ?? (await ledger.block(0)) ?? tip;
      }),
    blockAt: async (height) => {
      const found = await ask(async (ledger) => {
        const tip = await readTip(ledger);
        if (height > tip.height) return null;
        const header = await ledger.block(height);
        if (header === null) throw prunedBelow(height, await lowestBlock(ledger));
        return { header, transactions: await ledger.minedAt(height) };
      });
      if (found === null) return null;
      return { ...found.header, ...(await whatConcernsUs(deps, found.transactions)) };
    },
  };
}

function readStatus(tip: { height: number; hash: string }, pruneHeight: number): NodeStatus {
  return {
    tip: { height: tip.height, hash: tip.hash },
    headersHeight: tip.height,
    syncing: false,
    pruneHeight,
    peers: null,
    version: 'simulator',
    warnings: null,
  };
}

/** Lowest height above which no block is missing. */
async function lowestBlock(ledger: SimulatorLedger): Promise<number> {
  const lowest = (await ledger.lowestKept())?.height ?? 0;
  return lowest > 1 ? lowest : 0;
}

function prunedBelow(height: number, lowest: number): ChainError {
  return new ChainError('pruned', `the sandbox network no longer has blocks ${height} to ${lowest - 1}`);
}

async function readUnconfirmed(deps: SimulatorAdapterDeps): ReturnType<ChainAdapter['unconfirmed']> {
  const { tip, mempool } = await asker(deps)(async (ledger) => ({
    tip: await requireTip(ledger, deps.coin, deps.clock.now()),
    mempool: await ledger.mempool(),
  }));
  const byTxid = new Map(mempool.map((transaction) => [transaction.txid, transaction]));
  const { credits, debits } = await whatConcernsUs(deps, mempool);
  return {
    tip: { height: tip.height, hash: tip.hash },
    credits: credits.map((credit): UnconfirmedCredit => ({
      ...credit,
      nodeTimeMs: byTxid.get(credit.ref.txid)?.createdAt ?? null,
      inputs: byTxid.get(credit.ref.txid)?.inputs ?? [],
    })),
    debits,
    has: (txid) => byTxid.has(txid),
  };
}

async function whatConcernsUs(
  { coin, index }: Pick<SimulatorAdapterDeps, 'coin' | 'index'>,
  transactions: readonly SimulatedTransaction[],
): Promise<{ credits: Credit[]; debits: Debit[] }> {
  const outputs = transactions.flatMap(({ txid, raw, outputs }) =>
    outputs.map(({ watchKey, amount }, position): Credit => ({
      ref: { txid, index: position },
      watchKey,
      amount,
      maturity: 1,
      raw: raw.length <= MAX_KEPT_RAW_LENGTH ? raw : null,
    })),
  );
  const spends = transactions.flatMap((transaction) => {
    const { txid, inputs, raw, outputs: pays } = transaction;
    const spender = { raw, inputs: inputs.length, pays };
    return inputs.map((ref): Debit => ({ ref, byTxid: txid, ...(isUtxoCoin(coin) ? { spender } : {}) }));
  });
  const watched = await index.watched([...new Set(outputs.map((output) => output.watchKey))]);
  const own = await index.ownOutputs(spends.map((spend) => outputKey(spend.ref)));
  const credits = outputs.filter((output) => watched.has(output.watchKey));
  // Credits spent within the same view are not in the index yet.
  const fresh = new Set(credits.map((credit) => outputKey(credit.ref)));
  const debits = spends.filter(({ ref }) => own.has(outputKey(ref)) || fresh.has(outputKey(ref)));
  return { credits, debits };
}

async function recheck(
  deps: SimulatorAdapterDeps,
  transactions: readonly StoredTransaction[],
): Promise<ReadonlyMap<string, TransactionFate>> {
  const fates = new Map<string, TransactionFate>();
  for (const transaction of transactions) {
    const fate = await asker(deps)(async (ledger) => getTransactionStatus(deps, ledger, transaction));
    fates.set(transaction.txid, fate);
  }
  return fates;
}

async function getTransactionStatus(
  deps: SimulatorAdapterDeps,
  ledger: SimulatorLedger,
  { txid, raw }: StoredTransaction,
): Promise<TransactionFate> {
  const known = await ledger.transaction(txid);
  if (known !== null && known.state !== 'dropped') return 'present';
  if (known !== null && (await activeRivals(ledger, known)).length > 0) return 'gone';
  if (raw === null) return 'absent';
  const result = await submit(deps, ledger, { txid, raw });
  if (result.kind === 'accepted') return 'present';
  return result.kind === 'rejected' ? 'gone' : 'absent';
}

async function broadcast(
  deps: SimulatorAdapterDeps,
  { txid, raw }: StoredTransaction,
): Promise<BroadcastResult> {
  if (raw === null) return { kind: 'unknown', reason: 'the signed bytes are not at hand' };
  try {
    return await asker(deps)(async (ledger) => submit(deps, ledger, { txid, raw }));
  } catch (error) {
    return { kind: 'unknown', reason: error instanceof Error ? error.message : 'no answer' };
  }
}

/** Accepts bytes as a node would: known transactions are not checked again, new ones are verified in full. */
async function submit(
  deps: SimulatorAdapterDeps,
  ledger: SimulatorLedger,
  { txid, raw }: { txid: string; raw: string },
): Promise<BroadcastResult> {
  const { coin, clock } = deps;
  if (transactionId(coin, raw) !== txid) return refused('the bytes do not match the transaction id');
  const known = await ledger.transaction(txid);
  if (known !== null) return acceptToMempool(ledger, known);
  const spend = readSignedSpend(coin, raw);
  if (spend === null) return refused('the bytes are not a transaction of this network');
  if (spend.outputs.some((output) => COIN_FORMATS[coin].validateAddress(output.address) !== null)) {
    return refused('an output has an invalid address');
  }
  const inputs = spend.inputs.map(({ txid, index }) => ({ txid, index }));
  const parents = new Map(
    (await ledger.transactions(inputs.map((ref) => ref.txid))).map((tx) => [tx.txid, tx]),
  );
  const spent = spend.inputs.map(({ txid, index }) => parents.get(txid)?.outputs[index]);
  const balance = spend.outputs.reduce((rest, output) => rest - output.amount, sumAmounts(spend.inputs));
  if (spent.some((output, position) => output?.amount !== spend.inputs[position]?.amount)) {
    return refused('an input does not exist or has another amount');
  }
  if (new Set(inputs.map(outputKey)).size < inputs.length) return refused('an input is spent twice');
  if (balance !== spend.fee) return refused('inputs minus outputs differ from the stated fee');
  const owners = spent.map((output) => output?.watchKey ?? '');
  if (!isSignedByOwners(spend, owners)) return refused('an input has an invalid signature');
  const outputs = watchable(coin, spend.outputs);
  return acceptToMempool(ledger, { txid, raw, inputs, outputs, fee: spend.fee, createdAt: clock.now() });
}

function sumAmounts(inputs: readonly { readonly amount: bigint }[]): bigint {
  return inputs.reduce((sum, input) => sum + input.amount, 0n);
}

function refused(reason: string): BroadcastResult {
  return { kind: 'rejected', reason };
}
