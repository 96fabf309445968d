/** Allocation of deposit, wallet and change addresses, and the look-ahead that recovery scans. */
export {
  type AllocateAddressDeps,
  allocateAddresses,
  nextFreeWatchIndex,
  noneLeft,
  watchPath,
} from './allocate-address.ts';
export { nextChangeAddress, reserveChangeAddress } from './change-address.ts';
export {
  extendGapLimit,
  type GapLimitDeps,
  mayBeEarlierList,
  noteUnknownAddresses,
  reserveGapLimit,
  reserveUnknownAddresses,
  watchAccountUntil,
  watchUntil,
} from './gap-limit.ts';
export { watchLookAhead, type WatchLookAheadDeps } from './watch-look-ahead.ts';
