/** Billing interval of a recurring product. The shop does the billing: tilld only shows the interval to buyers. */
export const RECURRING_INTERVALS = ['daily', 'weekly', 'monthly', 'yearly'] as const;
export type RecurringInterval = (typeof RECURRING_INTERVALS)[number];
