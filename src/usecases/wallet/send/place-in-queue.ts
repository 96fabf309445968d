import { accountsPerSend } from '../../../domain/accounts.ts';
import type { OutputRef, SendPlan } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { accountBalanceChange, amountSpentFrom } from '../../../domain/send/queue.ts';
import { merchantAddress } from '../../../store/ledger/addresses.ts';
import { spendableAccounts } from '../../../store/ledger/spendable-accounts.ts';
import { nextQueuePosition } from '../../../store/sends/send-queue.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';

type Wallet = ChainId & { readonly merchantId: string };

/** The position of a new send in the queue of its wallet. */
export interface QueuePlace {
  readonly send: Pick<StoredSend, 'queueAccount' | 'queuePosition' | 'queued'>;
  readonly version: Pick<StoredSendVersion, 'balanceChange'>;
  /**
   * The outputs that it reserves now. The remainder of the sends before it does not exist yet, and is
   * reserved at its turn.
   */
  readonly refs: readonly OutputRef[];
}

const NO_QUEUE = { queueAccount: null, queuePosition: null, queued: false } as const;

/**
 * Places a plan behind the sends of its wallet: it must wait if it draws on more of the merchant address than
 * is available. Runs in the transaction that stores the send.
 */
export async function placeInQueue(tx: Tx, wallet: Wallet, plan: SendPlan): Promise<QueuePlace> {
  const account = await findQueueAccount(tx, wallet);
  const change = account === null ? null : accountBalanceChange(plan, account);
  if (account === null || change === null) {
    return { send: NO_QUEUE, version: { balanceChange: null }, refs: inputRefs(plan) };
  }
  const drawn = amountSpentFrom(plan.inputs, account);
  const isQueued = drawn > 0n && !(await isFree(tx, wallet, { account, amount: drawn }));
  const position = await nextQueuePosition(tx, account);
  return {
    send: { queueAccount: account, queuePosition: position, queued: isQueued },
    version: { balanceChange: change.toString() },
    refs: isQueued ? inputRefs(plan, account) : inputRefs(plan),
  };
}

/** The merchant address, where sends of this chain wait for one another. */
export async function findQueueAccount(db: Db, wallet: Wallet): Promise<string | null> {
  if (accountsPerSend(wallet) === null) return null;
  return (await merchantAddress(db, wallet)) ?? null;
}

async function isFree(
  tx: Tx,
  wallet: Wallet,
  { account, amount }: { readonly account: string; readonly amount: bigint },
): Promise<boolean> {
  // The merchant's own account comes first.
  const [first] = await spendableAccounts(tx, wallet, 1);
  return first?.fund.address === account && first.fund.amount >= amount;
}

function inputRefs({ inputs }: SendPlan, except?: string): OutputRef[] {
  return inputs.filter(({ address }) => address !== except).map(({ ref }) => ref);
}
