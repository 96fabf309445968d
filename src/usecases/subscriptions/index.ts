/** Subscriptions: created, changed, invoiced for each period, and ended when they are not paid. */
export { changeSubscriptionStatus } from './act-on-subscription.ts';
export { renewDueSubscriptions } from './renew-due-subscriptions.ts';
export { createSubscription } from './create-subscription.ts';
export { creditSubscription } from './credit-subscription.ts';
export { editSubscription } from './edit-subscription.ts';
export { payAhead } from './pay-ahead.ts';
export { actInPortal, PORTAL_ACTIONS } from './portal-actions.ts';
export { findByPortalToken, portalUrl, rotatePortalToken } from './portal-token.ts';
export { type PortalInvoice, type PortalView, readPayerView, readPortal } from './read-portal.ts';
export { summarizeSubscriptions } from './summarize-subscriptions.ts';
export { findOwnSubscription, forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';
