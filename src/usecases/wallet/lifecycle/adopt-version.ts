import { accountsPerSend } from '../../../domain/accounts.ts';
import {
  outputKey,
  type ChainAdapter,
  type Debit,
  type OutputRef,
  type Spender,
} from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { Chains } from '../../../domain/chains.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { isOpen } from '../../../domain/send/send-status.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { fundsMadeBy } from '../../../store/ledger/funds.ts';
import { reserveMade } from '../../../store/ledger/reservations.ts';
import { outputsOfTransactions } from '../../../store/ledger/outputs.ts';
import { admitFee } from '../../../store/sends/fee-budgets.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import { openSendsInOrder } from '../../../store/sends/open-sends.ts';
import {
  insertMinedVersion,
  preparingSendFor,
  listVersions,
  type StoredSendVersion,
} from '../../../store/sends/send-versions.ts';
import { paysOutputs, splitOutputs } from './pays-outputs.ts';
import { adoptForPreparing } from './adopt-preparation.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { readPlan, writePlan } from './stored-plan.ts';

export interface AdoptVersionDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chains: Chains;
}

/** A mined transaction that this database did not sign. */
export interface UnknownSpending {
  readonly txid: string;
  readonly merchantId: string;
  /** The send that had reserved one of its inputs, or that has its nonce. */
  readonly sendId: string | null;
  readonly spends: readonly Debit[];
  readonly outcome: Debit['outcome'];
}

/**
 * Adopts a mined transaction that this database did not sign as a version of a send: it excludes one of its versions
 * and pays the same, or pays a send that is older than a restore. That is the send at a higher fee or with a later
 * expiry, signed after the backup that the database was restored from. Null when it is not.
 */
export async function adoptVersion(
  tx: Tx,
  deps: AdoptVersionDeps,
  chain: ChainId,
  spending: UnknownSpending,
): Promise<StoredSendVersion | null> {
  const { txid, spends, outcome } = spending;
  const spender = spends[0]?.spender;
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (spender === undefined || adapter === null) return null;
  const holder = spending.sendId === null ? undefined : await findSend(tx, spending.sendId);
  // See adoptUnsigned.
  if (holder?.byPsbt === true && holder.status === 'preparing') return null;
  if (holder?.status === 'preparing')
    return adoptForPreparing(tx, deps, chain, { txid, send: holder, spends, adapter });
  const paid = { ...spending, spender, adapter };
  const match =
    accountsPerSend(chain) === null
      ? await findExcluded(tx, paid)
      : await findUnseen(tx, chain, { ...paid, fee: outcome?.fee ?? 0n });
  if (match === null) return null;
  const { send, newest, rival } = match;
  const plan = readPlan(rival.planJson);
  const refs = spends.map(({ ref }) => ref);
  const fee = outcome?.fee ?? (await minedFee(tx, chain, refs, spender)) ?? plan.fee;
  const version: StoredSendVersion = {
    ...rival,
    version: newest + 1,
    txid,
    raw: spender.raw,
    fee: fee.toString(),
    planJson: writePlan({ ...plan, fee, amount: match.amount }),
    createdAt: deps.clock.now(),
    changeIndex: null,
    cancels: false,
  };
  await admitFee(tx, send, fee, deps.clock.now());
  await insertMinedVersion(tx, version);
  await reserveForPreparing(tx, chain, txid);
  deps.logger.warn(
    { ...chain, sendId: send.id, txid },
    'block contains a replacement of a send that is missing in this database; recorded',
  );
  return version;
}

/**
 * Outputs of an adopted version of a part, or of a send whose change is reserved, belong to the send that is
 * being prepared.
 */
async function reserveForPreparing(tx: Tx, chain: ChainId, txid: string): Promise<void> {
  const id = await preparingSendFor(tx, chain, txid);
  if (id === null) return;
  for (const { fund } of await fundsMadeBy(tx, chain, txid))
    await reserveMade(tx, fund.ref, { ...chain, id });
}

type Payment = UnknownSpending & { readonly spender: Spender; readonly adapter: ChainAdapter };

/** The send that a transaction pays, and the matching version. */
interface Match {
  readonly send: StoredSend;
  readonly rival: StoredSendVersion;
  /** Number of the newest version. */
  readonly newest: number;
  readonly amount: bigint;
}

/**
 * It spends all inputs of one version, or its nonce, and pays the same amount to the same destination; any amount where
 * that is the wallet, because the fee of such a move comes out of what it moves.
 */
async function findExcluded(tx: Tx, { sendId, spends, spender, adapter }: Payment): Promise<Match | null> {
  const send = sendId === null ? undefined : await findSend(tx, sendId);
  if (send === undefined || !isOpen(send)) return null;
  const isMove = send.purpose === 'sweep';
  const recorded = BigInt(send.amount);
  const amount =
    send.outputsJson === null
      ? amountsPaid(spender, adapter, send).find((each) => isMove || each === recorded)
      : paysOutputs(spender.pays, splitOutputs(send, recorded), adapter)
        ? recorded
        : undefined;
  if (amount === undefined) return null;
  const spent = new Set(spends.map(({ ref }) => outputKey(ref)));
  const versions = await listVersions(tx, send.id);
  const rival = versions.findLast(({ planJson }) => {
    const { account, inputs } = readPlan(planJson);
    if (account !== undefined) return account.nonce === spender.account?.nonce;
    return inputs.every(({ ref }) => spent.has(outputKey(ref)));
  });
  return rival === undefined ? null : { send, rival, newest: versions.at(-1)?.version ?? 0, amount };
}

/**
 * Where sends draw on whole accounts and are signed again once they have expired: the oldest send of the wallet, the one
 * that had reserved the money before all others, that may have been paid after a backup, and that this pays exactly.
 * Nothing but its payment identifies it: another version may draw on other accounts.
 */
async function findUnseen(
  tx: Tx,
  chain: ChainId,
  payment: Payment & { readonly fee: bigint },
): Promise<Match | null> {
  const { merchantId, sendId, spender, adapter, fee } = payment;
  const open = await openSendsInOrder(tx, { ...chain, merchantId });
  const holderFirst = open.toSorted((a, b) => Number(b.id === sendId) - Number(a.id === sendId));
  for (const send of holderFirst) {
    const amount = amountsPaid(spender, adapter, send).find((paid) => isWhatItPays(send, paid, fee));
    if (amount === undefined || !(await isPossiblyPaid(tx, send))) continue;
    const rival = (await listVersions(tx, send.id)).at(-1);
    if (rival !== undefined) return { send, rival, newest: rival.version, amount };
  }
  return null;
}

function amountsPaid({ pays }: Spender, adapter: ChainAdapter, { destination }: StoredSend): bigint[] {
  const payee = adapter.watchKey(destination);
  return pays.filter(({ watchKey }) => watchKey === payee).map(({ amount }) => amount);
}

/**
 * The recorded amount, or, where the destination pays the fee, the remainder of the ordered amount after
 * another fee.
 */
function isWhatItPays(send: StoredSend, paid: bigint, fee: bigint): boolean {
  const isFeeIncluded = send.subtractFee || send.everything;
  return paid === BigInt(send.amount) || (isFeeIncluded && paid + fee === BigInt(send.ordered));
}

/** The fee of a mined transaction that spends these outputs. Null unless all its inputs are ours. */
export async function minedFee(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
  spender: Spender,
): Promise<bigint | null> {
  if (refs.length !== spender.inputs) return null;
  const outputs = await outputsOfTransactions(tx, chain, [...new Set(refs.map(({ txid }) => txid))]);
  const amounts = new Map(
    outputs.map(({ txid, vout, amount }) => [outputKey({ txid, index: vout }), amount]),
  );
  const inputSum = refs.reduce((sum, ref) => sum + BigInt(amounts.get(outputKey(ref)) ?? 0), 0n);
  const outputSum = spender.pays.reduce((sum, { amount }) => sum + amount, 0n);
  return inputSum >= outputSum ? inputSum - outputSum : null;
}
