/** Contracts of the tests, written by hand; put in place by anvil_setCode. */

/**
 * Pays each (address, amount) pair of 32-byte words in its calldata; reverts when one fails.
 *
 *   00 PUSH0                                 i = 0
 *   01 JUMPDEST CALLDATASIZE DUP2 LT ISZERO  loop: i < calldatasize?
 *   06 PUSH1 20 JUMPI                        no: end
 *   09 PUSH0 PUSH0 PUSH0 PUSH0               no arguments, no result
 *   0d DUP5 PUSH1 20 ADD CALLDATALOAD        value = calldata[i + 32]
 *   12 DUP6 CALLDATALOAD GAS CALL            call(gas, calldata[i], value)
 *   16 ISZERO PUSH1 22 JUMPI                 failed: revert
 *   1a PUSH1 40 ADD PUSH1 01 JUMP            i += 64
 *   20 JUMPDEST STOP                         end
 *   22 JUMPDEST PUSH0 PUSH0 REVERT           fail
 */
export const PAYER_CODE = '0x5f5b368110156020575f5f5f5f846020013585355af1156022576040016001565b005b5f5ffd';

/**
 * Passes its value on to calldata[0], then reverts everything.
 *
 *   PUSH0 PUSH0 PUSH0 PUSH0 CALLVALUE PUSH0 CALLDATALOAD GAS CALL POP PUSH0 PUSH0 REVERT
 */
export const REVERTER_CODE = '0x5f5f5f5f345f355af1505f5ffd';

/**
 * Calls another contract with its own calldata and value, and does not care whether that failed.
 *
 *   CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY
 *   PUSH0 PUSH0 CALLDATASIZE PUSH0 CALLVALUE PUSH20 target GAS CALL POP STOP
 */
export function carelessCode(target: string): string {
  return `0x365f5f375f5f365f3473${target.slice(2)}5af15000`;
}

export const CONTRACTS = {
  payer: '0x00000000000000000000000000000000000ba7c4',
  reverter: '0x0000000000000000000000000000000000c0ffee',
  careless: '0x000000000000000000000000000000000ca4e1e5',
} as const;

/** Calldata for PAYER_CODE. */
export function pairs(outputs: readonly { address: string; amount: bigint }[]): string {
  return `0x${outputs.map(({ address, amount }) => word(BigInt(address)) + word(amount)).join('')}`;
}

export function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
