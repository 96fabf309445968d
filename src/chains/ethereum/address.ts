import { getAddress } from 'ethers/address';

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
const NOBODY = /^0x0{40}$/;

/** Null when the text is an address that somebody can own (EIP-55 checked), else why not. */
export function addressProblem(address: string): string | null {
  if (!SHAPE.test(address)) return 'is not an Ethereum address (0x and 40 hex digits)';
  if (NOBODY.test(address)) return 'is the zero address, which nobody owns';
  try {
    getAddress(address);
    return null;
  } catch {
    return 'has a wrong checksum (EIP-55): it may be mistyped';
  }
}

/** The one spelling under which money of an address is found: lower case. */
export function accountKey(address: string): string {
  return address.toLowerCase();
}
