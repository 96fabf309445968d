/** Billing interval of a recurring product. */
export const RECURRING_INTERVALS = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const;
export type RecurringInterval = (typeof RECURRING_INTERVALS)[number];
