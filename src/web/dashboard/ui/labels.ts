import { t } from '../i18n/t.ts';

/** Labels for the states, events and alarms of the API. */
const WORDS: Readonly<Record<string, string>> = {
  // Payments
  pending: t('Pending'),
  underpaid: t('Underpaid'),
  confirming: t('Confirming'),
  completed: t('Completed'),
  expired: t('Expired'),
  cancelled: t('Cancelled'),
  failed: t('Failed'),
  refunded: t('Refunded'),
  overpaid: t('Overpaid'),
  late: t('Late'),
  multiple: t('Multiple'),
  created: t('Created'),
  updated: t('Updated'),
  superseded: t('Superseded'),
  reversed: t('Reversed'),
  partially_refunded: t('Partially refunded'),
  refund_failed: t('Refund failed'),
  // Refund links
  open: t('Open'),
  claimed: t('Claimed'),
  approved: t('Approved'),
  paid: t('Paid'),
  'refund.claimed': t('Refund claimed'),
  'refund.delayed': t('Refund delayed'),
  'refund.paid': t('Refund paid'),
  'refund.expired': t('Refund expired'),
  'refund.cancelled': t('Refund cancelled'),
  // Subscriptions
  'subscription.created': t('Subscription started'),
  'subscription.invoiced': t('Subscription invoiced'),
  'subscription.renewed': t('Subscription renewed'),
  'subscription.past_due': t('Subscription past due'),
  'subscription.paused': t('Subscription paused'),
  'subscription.resumed': t('Subscription resumed'),
  'subscription.cancelled': t('Subscription cancelled'),
  'subscription.ended': t('Subscription ended'),
  'subscription.trial_ending': t('Trial ending'),
  'subscription.updated': t('Subscription updated'),
  // Transactions and sends
  unconfirmed: t('Unconfirmed'),
  confirmed: t('Confirmed'),
  queued: t('Queued'),
  pending_approval: t('Waiting for approval'),
  rejected: t('Rejected'),
  preparing: t('Preparing'),
  awaiting_signature: t('Waiting for signature'),
  signed: t('Signed'),
  broadcast: t('Broadcast'),
  replaced: t('Replaced'),
  gone: t('Reversed'),
  // Domains and webhooks
  verified: t('Verified'),
  revoked: t('Revoked'),
  test: t('Test'),
  // Nodes
  starting: t('Starting'),
  following: t('Following'),
  catching_up: t('Catching up'),
  behind: t('Behind'),
  wrong_chain: t('Wrong chain'),
  error: t('Error'),
  unknown_version: t('Unknown version'),
  new_transactions: t('New transactions'),
  unreadable: t('Unreadable'),
  pruned: t('Pruned'),
  clock_skew: t('Clock skew'),
  node_outdated: t('Node outdated'),
  blocks_only: t('Blocks only'),
};

/** "payment.completed" → "Completed", "refund.paid" → "Refund paid", "catching_up" → "Catching up". */
export function words(code: string): string {
  const isNamedInFull = code.startsWith('refund.') || code.startsWith('subscription.');
  const name = isNamedInFull ? code : (code.split('.').at(-1) ?? code);
  const known = WORDS[name];
  if (known !== undefined) return known;
  const text = name.replaceAll(/[._-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
