/** The rate that converts a refund's fiat amount into coins: at receipt, or current. */
export const REFUND_RATES = ['received', 'current'] as const;
export type RefundRate = (typeof REFUND_RATES)[number];

export const REFUND_LINK_STATUSES = ['open', 'claimed', 'approved', 'paid', 'expired', 'cancelled'] as const;
export type RefundLinkStatus = (typeof REFUND_LINK_STATUSES)[number];

/** The amount of a link without an explicit amount. */
export const REFUND_PRESETS = ['all', 'excess'] as const;
export type RefundPreset = (typeof REFUND_PRESETS)[number];

/** Who opened a link: the shop, or the payer of an overpaid order, who requests the excess. */
export const REFUND_REQUESTERS = ['merchant', 'payer'] as const;
export type RefundRequester = (typeof REFUND_REQUESTERS)[number];

/** Why a claim failed so that its link is open again. */
export type ReopenedBy = 'amount' | 'destination' | 'send';

/**
 * Why a link ended before it was paid: the merchant cancelled it, the payer paid instead, or the money was
 * refunded elsewhere.
 */
export const REFUND_CANCEL_REASONS = ['cancelled', 'payment_received', 'refunded_elsewhere'] as const;
export type RefundCancelReason = (typeof REFUND_CANCEL_REASONS)[number];
