import type { Coin } from '../../../domain/coins.ts';
import { isoTime } from '../../../domain/iso-time.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { parseSums } from '../../../store/payments/sum-columns.ts';
import type { StoredRefundLink } from '../../../store/payments/refund-links.ts';

/** A refund link as the merchant sees it. */
export type RefundLinkView = ReturnType<typeof presentLink>;

/** @param url lets its holder claim the money: null where it must not be shown */
export function presentLink(link: StoredRefundLink, url: string | null) {
  return {
    id: link.id,
    paymentId: link.paymentId,
    url,
    status: link.status,
    amount: link.amount,
    currency: link.currency,
    rate: link.rate,
    preset: link.preset,
    coinAmounts: coinAmounts(link),
    approval: link.approval,
    deductFee: link.deductFee,
    requestedBy: link.requestedBy,
    reason: link.reason,
    coin: link.coin,
    destination: link.destination,
    claimId: link.claimId,
    sendId: link.sendId,
    txHash: link.txid,
    problem: link.problem,
    cancelReason: link.cancelReason,
    createdAt: isoTime(link.createdAt),
    expiresAt: isoTime(link.expiresAt),
    claimedAt: timeOrNull(link.claimedAt),
    approvedAt: timeOrNull(link.approvedAt),
    paidAt: timeOrNull(link.paidAt),
  };
}

/** The page of a link. The token is its only key. */
export function linkUrl(deps: { readonly baseUrl: string }, token: string): string {
  return `${deps.baseUrl}/r/${token}`;
}

/** The address of the link, for its merchant. */
export function openUrl(
  deps: { readonly baseUrl: string; readonly secretBox: SecretBox },
  link: StoredRefundLink,
): string {
  return linkUrl(deps, deps.secretBox.open(link.tokenSealed));
}

/** The available coins, or the chosen one, with the amount of the payment's money that the refund uses. */
function coinAmounts({ amountsJson, coin, claimed }: StoredRefundLink): Partial<Record<Coin, string>> {
  const sums = coin === null || claimed === null ? parseSums(amountsJson) : { [coin]: BigInt(claimed) };
  const shown: Partial<Record<Coin, string>> = {};
  for (const [each, atoms] of Object.entries(sums) as [Coin, bigint][]) {
    shown[each] = formatCoinAmount(atoms, each);
  }
  return shown;
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}
