/** For plugins of shop systems, beyond the client: `import { selectPayment } from '@tilld/sdk/shop'`. */
export { hasEnded, hasMoney, isOlder, selectPayment, type KeptPayment } from './order-payment.ts';
export { closePayment } from './close-payment.ts';
export { isRefundDelayed, unrecordedRefunds, type UnrecordedRefund } from './unrecorded-refunds.ts';
