import { isoTime } from '../../domain/iso-time.ts';
import { FEW_ADDRESSES } from '../../domain/notices.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import {
  failedSends,
  slowSends,
  waitingClaims,
  type WaitingSend,
} from '../../store/attention/waiting-sends.ts';
import type { ShopMode } from '../../store/attention/waiting-payments.ts';
import { findCreatorNames, toCreator } from '../../store/creators.ts';
import { lowLists } from '../../store/ledger/watch-lists.ts';
import { listApprovals } from '../../store/sends/send-approvals.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { requesterName } from '../approvals/index.ts';
import { listEndpoints } from '../webhooks/index.ts';
import type { WaitingItem } from './attention-item.ts';
import { subscriptionItems } from './subscription-items.ts';
import type { AttentionDeps, ServerFaults } from './attention-deps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As for notices: how long a send may wait for a block, and a fee bump for its budget. */
const STUCK_MS = 6 * HOUR_MS;
const FEE_LIMITED_MS = DAY_MS;
const HELD_MS = HOUR_MS;
/** How long a failed send is listed. */
const FAILED_MS = 30 * DAY_MS;
/** Maximum items of each kind; more of them have one cause. */
const MAX_ITEMS = 100;
/** Consecutive failures from which an endpoint counts as failing. */
const FAILURES = 2;

/** What waits besides the payments: a bounded number. */
export async function findOtherItems(
  deps: AttentionDeps,
  shop: ShopMode,
  merchant: MerchantRow,
): Promise<WaitingItem[]> {
  return [
    ...(await claimItems(deps, shop)),
    ...(await approvalItems(deps, shop)),
    ...(await sendItems(deps, shop)),
    ...(await listItems(deps, shop)),
    ...(await subscriptionItems(deps, shop)),
    ...(await endpointItems(deps, merchant)),
    ...(shop.mode === 'live' ? serverItems(deps) : []),
  ];
}

async function claimItems({ db, clock }: AttentionDeps, shop: ShopMode): Promise<WaitingItem[]> {
  const range = { heldBefore: clock.now() - HELD_MS, limit: MAX_ITEMS };
  return (await waitingClaims(db, shop, range)).map((claim): WaitingItem => {
    const { id, paymentId, order, claimId, coin, destination } = claim;
    const isToApprove = claim.approval && claim.status === 'claimed';
    return {
      id,
      kind: isToApprove ? 'refund_claim' : 'refund_delayed',
      since: claim.claimedAt,
      mark: `${claimId ?? ''} ${isToApprove ? '' : (claim.problem ?? '')}`,
      subject: { paymentId, order, linkId: id, claimId, coin, destination },
      amount: claim.amount,
      currency: claim.currency,
      message: isToApprove ? null : claim.problem,
    };
  });
}

async function approvalItems({ db, clock }: AttentionDeps, shop: ShopMode): Promise<WaitingItem[]> {
  const held = await listApprovals(db, { ...shop, isPending: true, limit: MAX_ITEMS });
  const names = await findCreatorNames(db, held.map(toCreator));
  return held
    .filter(({ expiresAt }) => clock.now() < expiresAt)
    .map((one): WaitingItem => {
      const { id, coin, paymentId, linkId, reasons } = one;
      // Of several recipients one alone would mislead.
      const destination = one.outputsJson === null ? one.destination : null;
      return {
        id,
        kind: 'send_approval',
        since: one.createdAt,
        mark: reasons.join(' '),
        subject: { sendId: id, coin, destination, paymentId, linkId },
        amount: formatCoinAmount(BigInt(one.amount), coin),
        currency: coin,
        approval: {
          requestedBy: requesterName(one, names),
          reasons: [...reasons],
          expiresAt: isoTime(one.expiresAt),
        },
      };
    });
}

async function sendItems({ db, clock }: AttentionDeps, shop: ShopMode): Promise<WaitingItem[]> {
  const now = clock.now();
  const failed = await failedSends(db, shop, { since: now - FAILED_MS, limit: MAX_ITEMS });
  const createdBefore = now - STUCK_MS;
  const limitedBefore = now - FEE_LIMITED_MS;
  const slow = await slowSends(db, shop, { createdBefore, limitedBefore, limit: MAX_ITEMS });
  return [
    ...failed.map((send) =>
      sendItem(send, { kind: 'send_failed', since: send.updatedAt, mark: `failed ${send.updatedAt}` }),
    ),
    ...slow.map((send) => {
      const { feeLimitedAt, version, createdAt } = send;
      return feeLimitedAt !== null && feeLimitedAt < limitedBefore
        ? sendItem(send, { kind: 'send_fee_limited', since: feeLimitedAt, mark: `limited ${feeLimitedAt}` })
        : sendItem(send, { kind: 'send_stuck', since: createdAt, mark: `version ${version}` });
    }),
  ];
}

function sendItem(send: WaitingSend, about: Pick<WaitingItem, 'kind' | 'since' | 'mark'>): WaitingItem {
  return {
    ...about,
    id: send.id,
    subject: { sendId: send.id, coin: send.coin },
    amount: formatCoinAmount(BigInt(send.amount), send.coin),
    currency: send.coin,
  };
}

async function listItems({ db, clock }: AttentionDeps, shop: ShopMode): Promise<WaitingItem[]> {
  const low = await lowLists(db, { atMost: FEW_ADDRESSES, now: clock.now(), ...shop });
  return low.map(({ coin, mode, free }): WaitingItem => {
    const kind = free === 0 ? 'addresses_gone' : 'addresses_low';
    return { id: `${kind}:${mode}:${coin}`, kind, since: null, mark: null, subject: { coin } };
  });
}

async function endpointItems({ db }: AttentionDeps, merchant: MerchantRow): Promise<WaitingItem[]> {
  const endpoints = await listEndpoints({ db }, merchant);
  return endpoints.flatMap(({ id, url, active, health }): WaitingItem[] => {
    const isFailing = health.failuresInARow >= FAILURES;
    if (!active || (!health.gone && !isFailing)) return [];
    const { lastSuccessAt, lastFailureAt } = health;
    const since = lastSuccessAt ?? lastFailureAt;
    return [
      {
        id,
        kind: health.gone ? 'webhook_gone' : 'webhook_failing',
        since: since === null ? null : Date.parse(since),
        mark: `${health.gone ? 'gone' : 'failing'} ${lastSuccessAt ?? ''}`,
        subject: { endpointId: id },
        // The path may contain a secret of the shop.
        message: `${URL.canParse(url) ? new URL(url).host : url}: ${health.lastError ?? 'answered 410 Gone'}`,
      },
    ];
  });
}

function serverItems(deps: AttentionDeps): WaitingItem[] {
  const { followedChains, faults } = deps;
  const live = followedChains().filter(({ mode }) => mode === 'live');
  return [
    ...live
      .filter(({ state }) => state !== 'following')
      .map(({ coin, lastSeenAt }): WaitingItem => ({
        id: `node_down:${coin}`,
        kind: 'node_down',
        since: lastSeenAt,
        mark: null,
        subject: { coin },
      })),
    ...live
      .filter(({ unread }) => unread.count > 0)
      .map(({ coin, unread }): WaitingItem => ({
        id: `transactions_unread:${coin}`,
        kind: 'transactions_unread',
        since: unread.transactions[0]?.firstSeenAt ?? null,
        mark: null,
        subject: { coin },
      })),
    ...serverItem('rates_unsure', faults.areRatesUnsure()),
    ...serverItem('backup_old', faults.isBackupTooOld()),
    ...serverItem('replica_behind', faults.isReplicaBehind()),
    ...serverItem('certificate_ending', faults.isCertificateEnding()),
    ...updateItem(faults),
  ];
}

/** Dismissed, it returns with the next release. */
function updateItem({ newerRelease }: ServerFaults): WaitingItem[] {
  const release = newerRelease();
  if (release === null) return [];
  const kind = release.security ? 'security_update' : 'update_available';
  const message = `tilld ${release.version}: ${release.notesUrl}`;
  return [
    { id: kind, kind, since: Date.parse(release.publishedAt), mark: release.version, subject: {}, message },
  ];
}

function serverItem(id: WaitingItem['kind'], isSo: boolean): WaitingItem[] {
  return isSo ? [{ id, kind: id, since: null, mark: null, subject: {} }] : [];
}
