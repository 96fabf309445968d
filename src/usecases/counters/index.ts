/** Counters of a shop: their settings, the device of each, and the payments that it charges. */
export { chargeCustomer } from './charge-customer.ts';
export { connectDevice, createCounterCode, type CounterCode } from './connect-device.ts';
export type { CounterDeps } from './counter-deps.ts';
export { readCounterDay } from './counter-day.ts';
export { readCounterPayment } from './counter-payment.ts';
export { createCounter, deleteCounter, editCounter } from './manage-counters.ts';
