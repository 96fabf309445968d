import { ChainError, type BroadcastResult, type ChainAdapter } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findSend, updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { signedSends, dueSends } from '../../../store/sends/open-sends.ts';
import { listVersions, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { isWithheld } from '../../../store/sends/wallet-freezes.ts';
import { sendsWithSurplus } from '../../../store/ledger/reservations.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { withChainBalances } from '../send/drawable-funds.ts';
import { applySendFact } from './apply-send-fact.ts';
import { broadcastWithAncestors } from './broadcast-with-ancestors.ts';
import { recordBroadcastResult, type Answer } from './record-broadcast-result.ts';
import type { Renewal } from './resign-expired-send.ts';
import { queryStatus, resolveRejection } from './resolve-rejection.ts';
import type { SendCoinsDeps } from '../send/make-send.ts';
import { readPlan, toStoredTransaction } from './stored-plan.ts';

export type AdvanceSendsDeps = Pick<
  SendCoinsDeps,
  | 'db'
  | 'clock'
  | 'logger'
  | 'chains'
  | 'confirmations'
  | 'deriver'
  | 'sign'
  | 'baseUrl'
  | 'rates'
  | 'policy'
  | 'inFlight'
  | 'wakeWebhooks'
  | 'onPaymentChanged'
>;

/** Sends broadcast in one round. */
const ROUND_SIZE = 50;
/** Consecutive unclear answers after which the node is left alone until the next round. */
const PATIENCE = 3;

/**
 * One round over the open sends of a chain: broadcasts again those that the node has not clearly accepted and those
 * that have waited long for a block, always with the bytes already signed. With `resume`, as after a restart, every
 * send not known to be accepted goes out at once, regardless of its backoff. A frozen wallet withholds bytes that no
 * node has had.
 */
export async function advanceSends(
  deps: AdvanceSendsDeps,
  chain: ChainId,
  options: { readonly resume?: boolean } = {},
): Promise<void> {
  await releaseSurplus(deps, chain);
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null) return;
  const due =
    options.resume === true
      ? await signedSends(deps.db, chain, ROUND_SIZE)
      : await dueSends(deps.db, chain, dueTimes(deps), ROUND_SIZE);
  let unclear = 0;
  for (const send of due) {
    const kind = await deps.inFlight.take(send.id, async () => retrySend(deps, adapter, send));
    if (kind === null) continue;
    unclear = kind === 'unknown' ? unclear + 1 : 0;
    if (unclear >= PATIENCE) break;
  }
  if (due.length > 0) deps.wakeWebhooks();
}

/** A retry scheduled further ahead than the longest backoff was scheduled before the clock was set back. */
function dueTimes(deps: AdvanceSendsDeps): { now: number; impossible: number } {
  const { firstAnswerMs, retryMaxMs, rebroadcastMs } = deps.policy;
  const now = deps.clock.now();
  return { now, impossible: now + Math.max(firstAnswerMs, retryMaxMs, rebroadcastMs) };
}

/**
 * Retries one send; a failure must not block the sends after it. Null when it says nothing about the node: the send
 * was advanced elsewhere since it was read, or the error lies in the send itself.
 */
async function retrySend(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<BroadcastResult['kind'] | null> {
  try {
    if (await hasMovedOn(deps.db, send)) return null;
    return await rebroadcast(deps, adapter, send);
  } catch (error) {
    deps.logger.error({ sendId: send.id, err: error }, 'rebroadcast of a send failed; will retry');
    return error instanceof ChainError ? 'unknown' : stepBack(deps, send);
  }
}

async function hasMovedOn(db: Db, read: StoredSend): Promise<boolean> {
  const send = await findSend(db, read.id);
  if (send === undefined) return true;
  const isOffered = send.broadcasts !== read.broadcasts || send.nextBroadcastAt !== read.nextBroadcastAt;
  return isOffered || send.status !== read.status || send.version !== read.version;
}

/** Postpones a failing or withheld send: rounds take the longest overdue first, and it would stay in front for ever. */
async function stepBack(
  { db, clock, policy, logger }: AdvanceSendsDeps,
  send: StoredSend,
): Promise<'unknown' | null> {
  try {
    await db.transaction(async (tx) => {
      if (await hasMovedOn(tx, send)) return;
      const now = clock.now();
      await updateSend(tx, send.id, { nextBroadcastAt: now + policy.retryMaxMs }, now);
    });
    return null;
  } catch (error) {
    logger.error({ sendId: send.id, err: error }, 'postponing the next broadcast of a failing send failed');
    return 'unknown';
  }
}

async function rebroadcast(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<BroadcastResult['kind'] | null> {
  const versions = await listVersions(deps.db, send.id);
  const current = versions.find(({ version }) => version === send.version);
  if (current === undefined) throw new Error(`send ${send.id} has no version ${send.version}`);
  const pending = versions.filter((each) => each.version > send.version).at(-1);
  const withheld = await isWithheld(deps.db, send.id);
  if (pending !== undefined && (!withheld || pending.cancels)) {
    const replacement = await offer(deps, adapter, pending);
    if (replacement.kind === 'accepted') {
      await note(deps, { sendId: send.id, version: pending.version, result: replacement });
      return replacement.kind;
    }
  }
  if (withheld) return stepBack(deps, send);
  const { version } = current;
  const result = await offer(deps, adapter, current);
  if (result.kind !== 'rejected') {
    await note(deps, { sendId: send.id, version, result });
    return result.kind;
  }
  await examineRejection(deps, adapter, { send, versions, reason: result.reason });
  return result.kind;
}

/** Asks the chain about a send that cannot be broadcast as it is, and decides: see resolveRejection. */
export async function examineRejection(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  refused: {
    readonly send: StoredSend;
    readonly versions: readonly StoredSendVersion[];
    readonly reason: string;
  },
): Promise<StoredSend> {
  const { send, versions, reason } = refused;
  const current = versions.find(({ version }) => version === send.version);
  if (current === undefined) throw new Error(`send ${send.id} has no version ${send.version}`);
  const report = await queryStatus(deps.db, adapter, { send, versions });
  const terms = await askRenewal(deps, adapter, { send, current });
  return deps.db.transaction(async (tx) =>
    resolveRejection(tx, deps, { sendId: send.id, reason, report, terms }),
  );
}

async function offer(
  { db }: AdvanceSendsDeps,
  adapter: ChainAdapter,
  version: StoredSendVersion,
): Promise<BroadcastResult> {
  return broadcastWithAncestors(db, adapter, toStoredTransaction(version), readPlan(version.planJson).inputs);
}

async function note(deps: AdvanceSendsDeps, answer: Omit<Answer, 'neverOffered'>): Promise<void> {
  await deps.db.transaction(async (tx) =>
    recordBroadcastResult(tx, deps, { ...answer, neverOffered: false }),
  );
}

/** The terms of a renewal where transactions expire. Read after the status, so that they are no older. */
async function askRenewal(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  { send, current }: { readonly send: StoredSend; readonly current: StoredSendVersion },
): Promise<Renewal | null> {
  if (adapter.expiry === undefined) return null;
  const wallet = { coin: send.coin, mode: send.mode, merchantId: send.merchantId };
  const { inputs, destination, amount } = readPlan(current.planJson);
  const first = inputs.map(({ address }) => address);
  const [from] = first;
  const quote = await adapter.feeQuote(from === undefined ? undefined : { from, destination, amount });
  return { adapter, quote: await withChainBalances(deps.db, adapter, { wallet, first }, quote) };
}

/** Releases coins reserved only by versions that were not mined, once the mined version is deep enough. */
async function releaseSurplus(deps: AdvanceSendsDeps, chain: ChainId): Promise<void> {
  const tip = await findCursor(deps.db, chain);
  if (tip === undefined) return;
  const upTo = tip.height - deps.policy.surplusDepth + 1;
  const sendIds = await sendsWithSurplus(deps.db, chain, upTo);
  if (sendIds.length === 0) return;
  await deps.db.transaction(async (tx) => {
    for (const sendId of sendIds) await applySendFact(tx, deps, sendId, { type: 'buried', upTo });
  });
}
