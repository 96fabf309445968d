/** API keys of a shop, and the users who may act for it: which shops they reach, and in which role. */
export { KEY_LENGTH, keyHash, newApiKeys } from './api-key.ts';
export { createRestrictedKey } from './create-restricted-key.ts';
export { deleteRestrictedKey } from './delete-restricted-key.ts';
export { endShopKeys } from './end-shop-keys.ts';
export { findOwnMerchant } from './find-own-merchant.ts';
export { merchantMode } from './merchant-mode.ts';
export { findReachable, type Reached, authorizeMerchant } from './authorize-merchant.ts';
export { addRestrictedKey, assertRoomForKey, type CreatedRestrictedKey } from './restricted-key.ts';
export { readLimit } from './read-limit.ts';
