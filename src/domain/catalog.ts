/** How often a recurring product is paid for. Billing itself is the shop's: tilld only tells its buyers. */
export const RECURRING_INTERVALS = ['daily', 'weekly', 'monthly', 'yearly'] as const;
export type RecurringInterval = (typeof RECURRING_INTERVALS)[number];
