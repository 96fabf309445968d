import { formatCoinAmount } from '../../domain/money.ts';

/** Solana Pay transfer request. */
export function solanaPayUri(request: { address: string; amount: bigint; label?: string }): string {
  const { address, amount, label } = request;
  const labelled = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  return `solana:${address}?amount=${formatCoinAmount(amount, 'SOL')}${labelled}`;
}
