import type { SecretBox } from '../../../domain/keys.ts';
import type { Mode } from '../../../domain/coins.ts';
import type { RefundLinkStatus } from '../../../domain/payment/refund-link.ts';
import { listRefundLinks } from '../../../store/payments/refund-links.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { merchantMode } from '../../access/index.ts';
import { findOwnPayment, openUrl, presentLink, type RefundLinkView } from '../../payments/index.ts';

export interface ListLinksDeps {
  readonly db: Db;
  readonly secretBox: SecretBox;
  readonly baseUrl: string;
}

export interface ListLinksFilter {
  readonly merchant: Pick<MerchantRow, 'id' | 'sandbox'>;
  /** Defaults to its current mode. */
  readonly mode?: Mode | undefined;
  readonly paymentId?: string | undefined;
  readonly status?: RefundLinkStatus | undefined;
  readonly urls: VisibleUrls;
}

/**
 * Which link addresses are included, since their holder can claim the money. `waiting`: those that then need
 * an approval.
 */
export type VisibleUrls = 'all' | 'waiting' | 'none';

/**
 * A merchant's refund links, newest first: of one payment, or of all payments of a mode.
 * @throws {AppError} PAYMENT_NOT_FOUND
 */
export async function listLinks(
  deps: ListLinksDeps,
  { merchant, mode: requestedMode, paymentId, status, urls }: ListLinksFilter,
  page: { readonly page: number; readonly limit: number },
): Promise<{ links: RefundLinkView[]; pagination: { page: number; limit: number; total: number } }> {
  if (paymentId !== undefined) await findOwnPayment(deps.db, { merchantId: merchant.id, paymentId });
  const mode = merchantMode(merchant, requestedMode);
  const rows = await listRefundLinks(
    deps.db,
    { merchantId: merchant.id, paymentId, mode, status },
    { limit: page.limit, offset: (page.page - 1) * page.limit },
  );
  const isShown = (approval: boolean): boolean => urls === 'all' || (urls === 'waiting' && approval);
  const links = rows.links.map((link) =>
    presentLink(link, isShown(link.approval) ? openUrl(deps, link) : null),
  );
  return { links, pagination: { page: page.page, limit: page.limit, total: rows.total } };
}
