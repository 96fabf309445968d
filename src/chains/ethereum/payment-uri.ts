import { getAddress } from 'ethers/address';

/** EIP-681 link of a plain transfer; `value` in wei. */
export function eip681Uri(request: {
  readonly address: string;
  readonly amount: bigint;
  readonly chainId: number;
}): string {
  return `ethereum:${getAddress(request.address)}@${request.chainId}?value=${request.amount}`;
}
