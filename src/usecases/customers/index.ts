/** Customers of an owner, found or created by email address, and their erasure. */
export { createCustomer } from './create-customer.ts';
export { editCustomer } from './edit-customer.ts';
export { eraseCustomer, type EraseCustomerDeps } from './erase-customer.ts';
export { findOrCreatePayer, type Payer } from './find-or-create-payer.ts';
export { getCustomer } from './get-customer.ts';
