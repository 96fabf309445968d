import { ChainError, type ChainAdapter } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { readyForRelease } from '../../../domain/send/queue.ts';
import { accountsWithQueue, listQueue } from '../../../store/sends/send-queue.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import { isWithheld } from '../../../store/sends/wallet-freezes.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { matchesChainBalances } from '../send/drawable-funds.ts';
import { examineRejection, type AdvanceSendsDeps } from './advance-sends.ts';
import { applySendFact } from './apply-send-fact.ts';
import { broadcastWithAncestors } from './broadcast-with-ancestors.ts';
import { recordBroadcastResult } from './record-broadcast-result.ts';
import { readPlan, toStoredTransaction } from './stored-plan.ts';

/** Wallets served in one round. */
const ROUND_SIZE = 50;
/** Consecutive failures of the node after which it is left alone until the next round. */
const PATIENCE = 3;

/**
 * One round over the queues of a chain: broadcasts the first sends of each once those before it are in a block or have
 * ended, except for frozen wallets. A send whose accounts do not hold what it was planned with stays where it is until its transaction has provably
 * expired, and is then re-signed.
 * @returns whether sends wait
 */
export async function releaseQueued(deps: AdvanceSendsDeps, chain: ChainId): Promise<boolean> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter?.wholeAccounts === undefined) return false;
  const accounts = await accountsWithQueue(deps.db, chain, ROUND_SIZE);
  let failures = 0;
  for (const account of accounts) {
    for (const next of await readySends(deps.db, account)) {
      if (!isDue(next, deps.clock.now(), deps.policy.retryMaxMs)) continue;
      const released = await deps.inFlight.take(next.id, async () => tryRelease(deps, adapter, next));
      failures = released === 'node_failed' ? failures + 1 : 0;
    }
    if (failures >= PATIENCE) break;
  }
  if (accounts.length > 0) deps.wakeWebhooks();
  return accounts.length > 0;
}

async function readySends(db: Db, account: string): Promise<StoredSend[]> {
  const ready: StoredSend[] = [];
  for (const { id } of readyForRelease(await listQueue(db, account))) {
    const send = await findSend(db, id);
    if (send !== undefined) ready.push(send);
  }
  return ready;
}

/** A time further ahead than the longest pause was written before the clock was set back. */
function isDue({ nextBroadcastAt: at }: StoredSend, now: number, longestMs: number): boolean {
  return at === null || at <= now || at > now + longestMs;
}

/** A failure must not block the queues of other wallets. */
async function tryRelease(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<'done' | 'node_failed'> {
  try {
    await release(deps, adapter, send);
    return 'done';
  } catch (error) {
    deps.logger.error(
      { sendId: send.id, err: error },
      'broadcast of the next queued send failed; will retry',
    );
    return error instanceof ChainError ? 'node_failed' : 'done';
  }
}

async function release(deps: AdvanceSendsDeps, adapter: ChainAdapter, send: StoredSend): Promise<void> {
  const versions = await listVersions(deps.db, send.id);
  const current = versions.find(({ version }) => version === send.version);
  if (current === undefined) throw new Error(`send ${send.id} has no version ${send.version}`);
  const plan = readPlan(current.planJson);
  const accounts = [...new Set(plan.inputs.map(({ address }) => address))];
  const balances = await adapter.wholeAccounts?.heldNow(accounts);
  if (!matchesChainBalances(plan, balances, { least: adapter.minimumPayment, keeper: send.queueAccount })) {
    const reason = 'the balances of its accounts differ from its plan';
    deps.logger.warn(
      { sendId: send.id, reason },
      'queued send not broadcast; it is signed again once it has expired',
    );
    await examineRejection(deps, adapter, { send, versions, reason });
    return;
  }
  if (!(await dequeue(deps, send))) return;
  const { version } = current;
  const result = await broadcastWithAncestors(deps.db, adapter, toStoredTransaction(current), plan.inputs);
  if (result.kind === 'rejected' && result.isExpired === true) {
    await examineRejection(deps, adapter, { send, versions, reason: result.reason });
    return;
  }
  // A backend that has not yet seen the sends before this one rejects it, so it continues until it has
  // provably expired.
  await deps.db.transaction(async (tx) =>
    recordBroadcastResult(tx, deps, { sendId: send.id, version, result, neverOffered: false }),
  );
}

/** Takes a send out of the queue, before any node has its bytes. False when it is not or no longer its turn. */
async function dequeue(deps: AdvanceSendsDeps, read: StoredSend): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const send = await findSend(tx, read.id);
    const account = send?.queueAccount ?? null;
    if (send === undefined || account === null || send.version !== read.version) return false;
    if (await isWithheld(tx, send.id)) return false;
    if (!readyForRelease(await listQueue(tx, account)).some(({ id }) => id === send.id)) return false;
    const { policy } = deps;
    const { action, before } = await applySendFact(tx, deps, send.id, { type: 'dequeued', policy });
    const { coin, mode, txid } = before;
    deps.logger.info(
      { sendId: send.id, coin, mode, txid },
      'queued send is next in its queue and is broadcast',
    );
    return action === 'dequeue';
  });
}
