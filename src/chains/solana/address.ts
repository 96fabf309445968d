import { base58 } from '@scure/base';

const SYSTEM_PROGRAM = '1'.repeat(32);

/** Returns null for 32 bytes in base58 that can hold money, else the reason as a predicate: "is not a Solana address". */
export function validateAddress(address: string): string | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) || base58.decode(address).length !== 32) {
    return 'is not a Solana address (32 bytes in base58)';
  }
  return address === SYSTEM_PROGRAM ? 'is the system program, which cannot be paid' : null;
}
