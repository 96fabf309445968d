import { inputCostAt, type ChainAdapter, type Debit, type SendPlan } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { fundsMadeBy, findFunds, type ReservedFund } from '../../../store/ledger/funds.ts';
import { reserveMade } from '../../../store/ledger/reservations.ts';
import { admitFee, admitPart } from '../../../store/sends/fee-budgets.ts';
import { insertMinedSend, updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { insertMinedVersion, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { newId } from '../../events/index.ts';
import { newRow } from '../send/store-send.ts';
import { paysOutputs, splitOutputs } from './pays-outputs.ts';
import { writePlan } from './stored-plan.ts';

interface AdoptPreparationDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

type Spender = NonNullable<Debit['spender']>;

/** A mined transaction that this database did not sign, compared with a send that gathers its outputs. */
interface MinedPart {
  readonly txid: string;
  readonly spender: Spender;
  readonly send: StoredSend;
  /** Its inputs, all of them ours. */
  readonly inputs: readonly ReservedFund[];
  /** Its outputs to us. */
  readonly made: readonly ReservedFund[];
  readonly fee: bigint;
}

/**
 * Adopts a mined transaction that this database did not sign for a send that it knows as `preparing`: the one that pays
 * the send, or a part that gathers outputs for it. Both were signed after the backup that the database was restored
 * from. Null when it is neither.
 */
export async function adoptForPreparing(
  tx: Tx,
  deps: AdoptPreparationDeps,
  chain: ChainId,
  spending: {
    readonly txid: string;
    readonly send: StoredSend;
    readonly spends: readonly Debit[];
    readonly adapter: ChainAdapter;
  },
): Promise<StoredSendVersion | null> {
  const { txid, send, spends, adapter } = spending;
  const spender = spends[0]?.spender;
  if (spender === undefined || spender.inputs !== spends.length) return null;
  const refs = spends.map(({ ref }) => ref);
  const inputs = await findFunds(tx, chain, refs);
  if (inputs.length !== refs.length) return null;
  const made = await fundsMadeBy(tx, chain, txid);
  const fee = sumFunds(inputs) - spender.pays.reduce((sum, { amount }) => sum + amount, 0n);
  const read = { txid, spender, send, inputs, made, fee };
  const amount = paidAmount(read, adapter);
  if (amount !== null) return adoptPayment(tx, deps, adapter, { ...read, amount });
  return isPart(read) ? adoptPart(tx, deps, adapter, read) : null;
}

/**
 * The part of the send that it pays: the ordered amount, less the fees where they are taken out of it. Null:
 * nothing.
 */
function paidAmount(part: MinedPart, adapter: ChainAdapter): bigint | null {
  const { send, spender, made } = part;
  if (send.outputsJson !== null) return paidToSeveral(part, adapter);
  const watchKey = adapter.watchKey(send.destination);
  const ordered = BigInt(send.ordered);
  const least = send.subtractFee || send.everything ? ordered - BigInt(send.maxFee) : ordered;
  const at = spender.pays.findIndex(
    (each) => each.watchKey === watchKey && each.amount >= least && each.amount <= ordered,
  );
  const paid = spender.pays[at];
  if (paid === undefined) return null;
  const rest = spender.pays.filter((_, index) => index !== at);
  // Its change returns to the wallet; it has no other recipient.
  return rest.reduce((sum, { amount }) => sum + amount, 0n) <= sumFunds(made) ? paid.amount : null;
}

/** Several recipients: everything that does not return to the wallet is theirs, each with its share. */
function paidToSeveral({ send, spender, made }: MinedPart, adapter: ChainAdapter): bigint | null {
  const ordered = BigInt(send.ordered);
  const destinations = new Set(splitOutputs(send, ordered).map(({ destination }) => destination));
  const change = made.filter(({ fund }) => !destinations.has(fund.address));
  const amount = spender.pays.reduce((sum, one) => sum + one.amount, 0n) - sumFunds(change);
  const least = send.subtractFee ? ordered - BigInt(send.maxFee) : ordered;
  if (amount < least || amount > ordered) return null;
  return paysOutputs(spender.pays, splitOutputs(send, amount), adapter) ? amount : null;
}

/** Whether it moves outputs that the send has reserved into one output of the wallet. */
function isPart({ send, inputs, made, spender }: MinedPart): boolean {
  const isHeld = inputs.every(({ heldBy }) => heldBy === send.id);
  return isHeld && spender.pays.length === 1 && made.length === 1;
}

async function adoptPayment(
  tx: Tx,
  deps: AdoptPreparationDeps,
  adapter: ChainAdapter,
  part: MinedPart & { readonly amount: bigint },
): Promise<StoredSendVersion> {
  const { txid, send, inputs, made, fee, amount } = part;
  const now = deps.clock.now();
  const outputs = send.outputsJson === null ? null : splitOutputs(send, amount);
  const paid = new Set(outputs?.map(({ destination }) => destination) ?? [send.destination]);
  const [change = null] = made.filter(({ fund }) => !paid.has(fund.address));
  const plan: SendPlan = {
    inputs: inputs.map(({ fund }) => fund),
    destination: send.destination,
    amount,
    ...(outputs === null ? {} : { outputs }),
    fee,
    change: change === null ? null : { address: change.fund.address, amount: change.fund.amount },
    feeRate: estimateRate(adapter, inputs.length, fee),
  };
  const version = toMinedVersion(part, plan, {
    sendId: send.id,
    now,
    changeIndex: change?.fund.ref.index ?? null,
  });
  await admitFee(tx, send, fee, now);
  await insertMinedVersion(tx, version);
  await updateSend(tx, send.id, { feeLimitedAt: null }, now);
  deps.logger.warn(
    { sendId: send.id, txid },
    'block contains a transaction of a send that this database lists as unsigned; recorded as its payment',
  );
  return version;
}

async function adoptPart(
  tx: Tx,
  deps: AdoptPreparationDeps,
  adapter: ChainAdapter,
  part: MinedPart,
): Promise<StoredSendVersion | null> {
  const { txid, send, inputs, made, fee } = part;
  const [output] = made;
  const keyPath = inputs[0]?.fund.keyPath;
  if (output === undefined || keyPath === undefined) return null;
  const now = deps.clock.now();
  const sendId = newId('snd_');
  const { address: destination, amount } = output.fund;
  const plan: SendPlan = {
    inputs: inputs.map(({ fund }) => fund),
    destination,
    amount,
    fee,
    change: null,
    feeRate: estimateRate(adapter, inputs.length, fee),
  };
  const order = {
    coin: send.coin,
    mode: send.mode,
    merchantId: send.merchantId,
    account: keyPath.account,
    destination,
    amount: amount + fee,
    subtractFee: true,
  };
  const planned = BigInt(send.fee) - fee;
  await updateSend(tx, send.id, { fee: (planned > 0n ? planned : 0n).toString() }, now);
  await admitPart(tx, send, fee, now);
  const request = {
    sendId,
    order,
    adapter,
    plan,
    purpose: 'sweep',
    idempotencyKey: null,
    maxFee: fee,
  } as const;
  await insertMinedSend(tx, {
    ...newRow({ ...request, wholeId: send.id }, now),
    txid,
    nextBroadcastAt: now,
    queueAccount: null,
    queuePosition: null,
    queued: false,
  });
  const version = toMinedVersion(part, plan, { sendId, now, changeIndex: output.fund.ref.index });
  await insertMinedVersion(tx, version);
  // A transaction of the same block may have spent it already.
  await reserveMade(tx, output.fund.ref, send);
  deps.logger.warn(
    { sendId: send.id, by: sendId, txid },
    'block contains a transaction of a send that this database lists as unsigned; recorded as its consolidation',
  );
  return version;
}

/** The row of a version that a block contains. */
function toMinedVersion(
  { txid, spender, send }: MinedPart,
  plan: SendPlan,
  {
    sendId,
    now,
    changeIndex,
  }: { readonly sendId: string; readonly now: number; readonly changeIndex: number | null },
): StoredSendVersion {
  return {
    sendId,
    version: 1,
    coin: send.coin,
    mode: send.mode,
    txid,
    raw: spender.raw,
    fee: plan.fee.toString(),
    feeRate: plan.feeRate.toString(),
    planJson: writePlan(plan),
    createdAt: now,
    changeIndex,
    cancels: false,
    balanceChange: null,
  };
}

/** Its size is unknown here, so it is estimated from its inputs and two outputs. */
function estimateRate(adapter: ChainAdapter, inputs: number, fee: bigint): bigint {
  const size = inputCostAt(adapter, { rate: 1_000n }) * BigInt(inputs + 2);
  return size === 0n ? fee : (fee * 1_000n) / size;
}

function sumFunds(funds: readonly ReservedFund[]): bigint {
  return funds.reduce((sum, { fund }) => sum + fund.amount, 0n);
}
