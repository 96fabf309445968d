/** Subscriptions: created, changed, invoiced for each period, and ended when they are not paid. */
export { actOnSubscription } from './act-on-subscription.ts';
export { advanceSubscriptions } from './advance-subscriptions.ts';
export { createSubscription } from './create-subscription.ts';
export { creditSubscription } from './credit-subscription.ts';
export { editSubscription } from './edit-subscription.ts';
export { findOwnSubscription, type SubscriptionDeps } from './subscription-deps.ts';
