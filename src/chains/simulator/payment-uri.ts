import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';

/** Chain id of Sepolia, the test network whose addresses the Ethereum sandbox uses. */
const SEPOLIA_CHAIN_ID = 11_155_111;

interface UriRequest {
  readonly address: string;
  readonly amount: bigint;
  readonly label?: string;
}

/** BIP-21 for the Bitcoin family, EIP-681 for Ethereum, Solana Pay for Solana. */
export function paymentUri(coin: Coin, { address, amount, label }: UriRequest): string {
  const labelled = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  const definition = COIN_DEFINITIONS[coin];
  if (definition.family === 'ethereum') return `ethereum:${address}@${SEPOLIA_CHAIN_ID}?value=${amount}`;
  const scheme = definition.family === 'utxo' ? definition.uriScheme : 'solana';
  return `${scheme}:${address}?amount=${formatCoinAmount(amount, coin)}${labelled}`;
}
