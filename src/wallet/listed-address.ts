import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { FindListedProblem } from '../domain/keys.ts';

/** Precompiled contracts have the lowest addresses; no key leads to one. */
const PRECOMPILED = /^0x0{36}[0-9a-f]{4}$/i;
const BURN = new Set([
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xffffffffffffffffffffffffffffffffffffffff',
]);
/** Programs and sysvars of Solana, whose names are spelled out. */
const RESERVED =
  /^(?:Sysvar|Vote1111|Stake1111|StakeConfig1|Config1111|ComputeBudget1|BPFLoader|NativeLoader1|AddressLookupTab1e1|Ed25519SigVerify1|KeccakSecp256k1|Feature1111|LoaderV4|Token[kz]|AToken|Memo|metaqb|1nc1nerator|So1111|ZkE1Gama1Proof|ZkTokenProof1)/;

/**
 * Addresses of lists that cannot be those of a wallet: money paid there would be lost. Contracts whose addresses look
 * like any other are not recognised.
 */
export const findListedProblem: FindListedProblem = (coin, address) => {
  if (coin === 'ETH') {
    const isReserved = PRECOMPILED.test(address) || BURN.has(address.toLowerCase());
    return isReserved ? 'is a system or burn address, which has no key' : null;
  }
  if (coin !== 'SOL') return `is not used: ${coin} is watched by public keys`;
  if (RESERVED.test(address) || address.endsWith('1111111111111'))
    return 'is a program or a system account, which is no wallet';
  return isOnCurve(address) ? null : 'belongs to a program (off the curve), so no key signs for it';
};

function isOnCurve(address: string): boolean {
  try {
    ed25519.Point.fromBytes(base58.decode(address));
    return true;
  } catch {
    return false;
  }
}
