import { ChainError, type BroadcastResult, type ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  dueSends,
  findSend,
  signedSends,
  updateSend,
  versionsOf,
  type StoredSend,
  type StoredSendVersion,
} from '../../store/sends/sends.ts';
import { releaseOutputs, sendsWithSurplus } from '../../store/ledger/spendable.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { withHeld } from '../sends/drawable-funds.ts';
import { broadcastSend } from './broadcast-send.ts';
import { recordAnswer, type Answer } from './record-answer.ts';
import type { Renewal } from './renew-send.ts';
import { queryStatus, resolveRefusal } from './resolve-refusal.ts';
import type { SendCoinsDeps } from '../sends/send-coins.ts';
import { readPlan, transactionOf } from './stored-plan.ts';

export type AdvanceSendsDeps = Pick<
  SendCoinsDeps,
  | 'db'
  | 'clock'
  | 'logger'
  | 'chains'
  | 'deriver'
  | 'sign'
  | 'baseUrl'
  | 'rates'
  | 'policy'
  | 'inHand'
  | 'wakeWebhooks'
  | 'tellPaymentNews'
>;

/** Sends offered to the node in one round. */
const ROUND_SIZE = 50;
/** After so many unclear answers in a row the node is left alone until the next round. */
const PATIENCE = 3;

/**
 * One round over the open sends of a chain: offers to the node again what it has not clearly
 * accepted and what waits long for a block, always the bytes signed first. With `resume`, as after
 * a restart, everything not known to be accepted goes out at once, however long ago it was tried.
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
    const kind = await deps.inHand.take(send.id, async () => tryAgain(deps, adapter, send));
    if (kind === null) continue;
    unclear = kind === 'unknown' ? unclear + 1 : 0;
    if (unclear >= PATIENCE) break;
  }
  if (due.length > 0) deps.wakeWebhooks();
}

/** No plan reaches further ahead than the longest gap: one that does was made by a clock since set back. */
function dueTimes(deps: AdvanceSendsDeps): { now: number; impossible: number } {
  const { firstAnswerMs, retryMaxMs, rebroadcastMs } = deps.policy;
  const now = deps.clock.now();
  return { now, impossible: now + Math.max(firstAnswerMs, retryMaxMs, rebroadcastMs) };
}

/**
 * One send that cannot be carried on must not hold up those behind it. Null when the node has no part in it: others
 * have carried it on since it was read, or something is wrong with the send itself.
 */
async function tryAgain(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<BroadcastResult['kind'] | null> {
  try {
    if (await hasMovedOn(deps.db, send)) return null;
    return (await offerAgain(deps, adapter, send)).kind;
  } catch (error) {
    deps.logger.error({ sendId: send.id, err: error }, 'could not carry a send on; trying again');
    return error instanceof ChainError ? 'unknown' : stepBack(deps, send);
  }
}

async function hasMovedOn(db: Db, read: StoredSend): Promise<boolean> {
  const send = await findSend(db, read.id);
  if (send === undefined) return true;
  const isOffered = send.broadcasts !== read.broadcasts || send.next_broadcast_at !== read.next_broadcast_at;
  return isOffered || send.status !== read.status || send.version !== read.version;
}

/** Rounds take those due longest: there it would be among the first for ever. */
async function stepBack(
  { db, clock, policy, logger }: AdvanceSendsDeps,
  send: StoredSend,
): Promise<'unknown' | null> {
  try {
    await db.transaction(async (tx) => {
      if (await hasMovedOn(tx, send)) return;
      const now = clock.now();
      await updateSend(tx, send.id, { next_broadcast_at: now + policy.retryMaxMs }, now);
    });
    return null;
  } catch (error) {
    logger.error({ sendId: send.id, err: error }, 'could not put a send off');
    return 'unknown';
  }
}

async function offerAgain(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<BroadcastResult> {
  const versions = await versionsOf(deps.db, send.id);
  const current = versions.find(({ version }) => version === send.version);
  if (current === undefined) throw new Error(`send ${send.id} has no version ${send.version}`);
  const pending = versions.filter((each) => each.version > send.version).at(-1);
  if (pending !== undefined) {
    const taken = await offer(deps, adapter, pending);
    if (taken.kind === 'accepted') {
      await note(deps, { sendId: send.id, version: pending.version, result: taken });
      return taken;
    }
  }
  const { version } = current;
  const result = await offer(deps, adapter, current);
  if (result.kind !== 'rejected') {
    await note(deps, { sendId: send.id, version, result });
    return result;
  }
  const verdict = await queryStatus(deps.db, adapter, { send, versions });
  const renewal = await askRenewal(deps, adapter, { send, current });
  const { reason } = result;
  await deps.db.transaction(async (tx) =>
    resolveRefusal(tx, deps, { sendId: send.id, version, reason, verdict, renewal }),
  );
  return result;
}

async function offer(
  { db }: AdvanceSendsDeps,
  adapter: ChainAdapter,
  version: StoredSendVersion,
): Promise<BroadcastResult> {
  return broadcastSend(db, adapter, transactionOf(version), readPlan(version.plan_json).inputs);
}

async function note(deps: AdvanceSendsDeps, answer: Omit<Answer, 'neverOffered'>): Promise<void> {
  await deps.db.transaction(async (tx) => recordAnswer(tx, deps, { ...answer, neverOffered: false }));
}

/** What a new signature takes where transactions expire. Asked after the verdict, so that it is no older. */
async function askRenewal(
  deps: AdvanceSendsDeps,
  adapter: ChainAdapter,
  { send, current }: { readonly send: StoredSend; readonly current: StoredSendVersion },
): Promise<Renewal | null> {
  if (adapter.expiry === undefined) return null;
  const wallet = { coin: send.coin, mode: send.mode, merchantId: send.merchant_id };
  const { inputs, destination, amount } = readPlan(current.plan_json);
  const first = inputs.map(({ address }) => address);
  const [from] = first;
  const quote = await adapter.feeQuote(from === undefined ? undefined : { from, destination, amount });
  return { adapter, quote: await withHeld(deps.db, adapter, { wallet, first }, quote) };
}

/** Coins that only versions which were not mined would have used are free once the mined one is buried. */
async function releaseSurplus(deps: AdvanceSendsDeps, chain: ChainId): Promise<void> {
  const tip = await findCursor(deps.db, chain);
  if (tip === undefined) return;
  const buried = tip.height - deps.policy.surplusDepth + 1;
  const sendIds = await sendsWithSurplus(deps.db, chain, buried);
  if (sendIds.length === 0) return;
  await deps.db.transaction(async (tx) => {
    for (const sendId of await sendsWithSurplus(tx, chain, buried)) {
      await releaseOutputs(tx, sendId, { unspentOnly: true });
    }
  });
}
