import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';
import * as chainGaps from './0002-chain-gaps.ts';
import * as awaitedAccounts from './0003-awaited-accounts.ts';
import * as paymentMemory from './0005-payment-memory.ts';
import * as sends from './0006-sends.ts';
import * as customerCounts from './0008-customer-counts.ts';
import * as deliveriesByEndpoint from './0009-deliveries-by-endpoint.ts';
import * as volumeTotals from './0010-volume-totals.ts';
import * as gapReasons from './0011-gap-reasons.ts';
import * as displacedSends from './0012-displaced-sends.ts';
import * as conflictHeights from './0013-conflict-heights.ts';
import * as restrictedKeys from './0014-restricted-keys.ts';
import * as paymentTerms from './0015-payment-terms.ts';
import * as refundLinks from './0016-refund-links.ts';
import * as webhookEndpoints from './0017-webhook-endpoints.ts';
import * as fiatAtReceipt from './0018-fiat-at-receipt.ts';
import * as paymentLinks from './0019-payment-links.ts';
import * as movements from './0020-movements.ts';
import * as refundClaims from './0021-refund-claims.ts';
import * as addressesByText from './0022-addresses-by-text.ts';
import * as sessions from './0023-sessions.ts';
import * as shopCurrency from './0024-shop-currency.ts';
import * as sandboxEvents from './0025-sandbox-events.ts';
import * as passkeys from './0026-passkeys.ts';
import * as people from './0027-people.ts';
import * as notices from './0028-notices.ts';
import * as branding from './0029-branding.ts';
import * as lookAhead from './0030-look-ahead.ts';
import * as renewals from './0031-renewals.ts';
import * as receiptMails from './0032-receipt-mails.ts';
import * as listedDeliveries from './0033-listed-deliveries.ts';
import * as balance from './0034-balance.ts';
import * as paymentGroups from './0036-payment-groups.ts';
import * as feeBudgets from './0038-fee-budgets.ts';
import * as preparingSends from './0040-preparing-sends.ts';
import * as sendQueue from './0042-send-queue.ts';
import * as unreadTransactions from './0044-unread-transactions.ts';
import * as closedBooks from './0046-closed-books.ts';
import * as revocations from './0048-revocations.ts';
import * as unpricedRefunds from './0050-unpriced-refunds.ts';
import * as sharedFeeBudgets from './0054-shared-fee-budgets.ts';
import * as unfundedSends from './0056-unfunded-sends.ts';
import * as revokedWebhooks from './0057-revoked-webhooks.ts';
import * as mailRecipients from './0060-mail-recipients.ts';
import * as creators from './0062-creators.ts';
import * as productShops from './0063-product-shops.ts';
import * as acceptedRefunds from './0064-accepted-refunds.ts';
import * as orderLabels from './0065-order-labels.ts';

/**
 * How the schema came to be before 0.1.0, in order: the upgrade path of databases that were made then. Frozen; changes
 * since are in `../migrations`.
 */
export const PRE_RELEASE: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-chain-gaps': chainGaps,
  '0003-awaited-accounts': awaitedAccounts,
  '0005-payment-memory': paymentMemory,
  '0006-sends': sends,
  '0008-customer-counts': customerCounts,
  '0009-deliveries-by-endpoint': deliveriesByEndpoint,
  '0010-volume-totals': volumeTotals,
  '0011-gap-reasons': gapReasons,
  '0012-displaced-sends': displacedSends,
  '0013-conflict-heights': conflictHeights,
  '0014-restricted-keys': restrictedKeys,
  '0015-payment-terms': paymentTerms,
  '0016-refund-links': refundLinks,
  '0017-webhook-endpoints': webhookEndpoints,
  '0018-fiat-at-receipt': fiatAtReceipt,
  '0019-payment-links': paymentLinks,
  '0020-movements': movements,
  '0021-refund-claims': refundClaims,
  '0022-addresses-by-text': addressesByText,
  '0023-sessions': sessions,
  '0024-shop-currency': shopCurrency,
  '0025-sandbox-events': sandboxEvents,
  '0026-passkeys': passkeys,
  '0027-people': people,
  '0028-notices': notices,
  '0029-branding': branding,
  '0030-look-ahead': lookAhead,
  '0031-renewals': renewals,
  '0032-receipt-mails': receiptMails,
  '0033-listed-deliveries': listedDeliveries,
  '0034-balance': balance,
  '0036-payment-groups': paymentGroups,
  '0038-fee-budgets': feeBudgets,
  '0040-preparing-sends': preparingSends,
  '0042-send-queue': sendQueue,
  '0044-unread-transactions': unreadTransactions,
  '0046-closed-books': closedBooks,
  '0048-revocations': revocations,
  '0050-unpriced-refunds': unpricedRefunds,
  '0054-shared-fee-budgets': sharedFeeBudgets,
  '0056-unfunded-sends': unfundedSends,
  '0057-revoked-webhooks': revokedWebhooks,
  '0060-mail-recipients': mailRecipients,
  '0062-creators': creators,
  '0063-product-shops': productShops,
  '0064-accepted-refunds': acceptedRefunds,
  '0065-order-labels': orderLabels,
};
