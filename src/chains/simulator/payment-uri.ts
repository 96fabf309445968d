import type { Coin } from '../../domain/coins.ts';
import { assertNever } from '../../domain/errors.ts';
import { formatCoinAmount } from '../../domain/money.ts';

/** Chain id of Sepolia: the test network whose addresses the Ethereum sandbox stands for. */
const SEPOLIA_CHAIN_ID = 11_155_111;

interface UriRequest {
  readonly address: string;
  readonly amount: bigint;
  readonly label?: string;
}

/** BIP21 for Bitcoin and Litecoin, EIP-681 for Ethereum, Solana Pay for Solana. */
export function paymentUri(coin: Coin, { address, amount, label }: UriRequest): string {
  const labelled = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  switch (coin) {
    case 'BTC':
      return `bitcoin:${address}?amount=${formatCoinAmount(amount, coin)}${labelled}`;
    case 'LTC':
      return `litecoin:${address}?amount=${formatCoinAmount(amount, coin)}${labelled}`;
    case 'ETH':
      return `ethereum:${address}@${SEPOLIA_CHAIN_ID}?value=${amount}`;
    case 'SOL':
      return `solana:${address}?amount=${formatCoinAmount(amount, coin)}${labelled}`;
    default:
      return assertNever(coin);
  }
}
