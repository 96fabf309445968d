import { outputKey, type Debit, type OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Chains } from '../../domain/chains.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { isOpen } from '../../domain/send/machine.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { outputsOfTransactions } from '../../store/ledger/outputs.ts';
import { changeBudget } from '../../store/sends/fee-budgets.ts';
import { findSend } from '../../store/sends/sends.ts';
import { insertSendVersion, versionsOf, type StoredSendVersion } from '../../store/sends/send-versions.ts';
import { readPlan, writePlan } from './stored-plan.ts';

export interface AdoptVersionDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chains: Chains;
}

/**
 * Adopts a mined transaction that this database did not sign as a version of a send: it spends all inputs of one of
 * its versions, or its nonce, and pays the same amount to the same destination. That is the send at a higher fee,
 * raised after the backup that the database was restored from. Null when it is not.
 */
export async function adoptVersion(
  tx: Tx,
  deps: AdoptVersionDeps,
  chain: ChainId,
  found: {
    readonly txid: string;
    readonly sendId: string;
    readonly spends: readonly Debit[];
    readonly outcome: Debit['outcome'];
  },
): Promise<StoredSendVersion | null> {
  const { txid, sendId, spends, outcome } = found;
  const send = await findSend(tx, sendId);
  const spender = spends[0]?.spender;
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (send === undefined || !isOpen(send) || spender === undefined || adapter === null) return null;
  const watchKey = adapter.watchKey(send.destination);
  const paysTheSame = spender.pays.some(
    (each) => each.watchKey === watchKey && each.amount === BigInt(send.amount),
  );
  const spent = new Set(spends.map(({ ref }) => outputKey(ref)));
  const versions = await versionsOf(tx, sendId);
  const rival = versions.findLast(({ plan_json }) => {
    const { account, inputs } = readPlan(plan_json);
    if (account !== undefined) return account.nonce === spender.account?.nonce;
    return inputs.every(({ ref }) => spent.has(outputKey(ref)));
  });
  if (!paysTheSame || rival === undefined) return null;
  const plan = readPlan(rival.plan_json);
  const fee =
    outcome?.fee ??
    (await feeOf(
      tx,
      chain,
      spends.map(({ ref }) => ref),
      spender,
    )) ??
    plan.fee;
  const version: StoredSendVersion = {
    ...rival,
    version: (versions.at(-1)?.version ?? 0) + 1,
    txid,
    raw: spender.raw,
    fee: fee.toString(),
    plan_json: writePlan({ ...plan, fee }),
    created_at: deps.clock.now(),
    change_index: null,
    cancels: 0,
  };
  // It was signed within a budget that the merchant raised after the backup.
  if (fee > BigInt(send.max_fee)) await changeBudget(tx, send, fee, deps.clock.now());
  await insertSendVersion(tx, version);
  deps.logger.warn(
    { ...chain, sendId, txid },
    'block holds a version of a send that this database did not sign',
  );
  return version;
}

/** Null unless all its inputs are ours. */
async function feeOf(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
  spender: NonNullable<Debit['spender']>,
): Promise<bigint | null> {
  if (refs.length !== spender.inputs) return null;
  const outputs = await outputsOfTransactions(tx, chain, [...new Set(refs.map(({ txid }) => txid))]);
  const amounts = new Map(
    outputs.map(({ txid, vout, amount }) => [outputKey({ txid, index: vout }), amount]),
  );
  const came = refs.reduce((sum, ref) => sum + BigInt(amounts.get(outputKey(ref)) ?? 0), 0n);
  const went = spender.pays.reduce((sum, { amount }) => sum + amount, 0n);
  return came >= went ? came - went : null;
}
