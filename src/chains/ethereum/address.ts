import { getAddress } from 'ethers/address';

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
const NOBODY = /^0x0{40}$/;

/**
 * Returns null for an address that a person can own, else the reason as a predicate. Mixed case must match the checksum
 * of EIP-55; all lower or all upper case has none.
 */
export function validateAddress(address: string): string | null {
  if (!SHAPE.test(address)) return 'is not an Ethereum address (0x and 40 hex digits)';
  if (NOBODY.test(address)) return 'is the zero address, which nobody owns';
  try {
    getAddress(address);
    return null;
  } catch {
    return 'has a wrong checksum (EIP-55): it may be mistyped';
  }
}

/** The canonical form of an address, used as lookup key: lower case. */
export function accountKey(address: string): string {
  return address.toLowerCase();
}
