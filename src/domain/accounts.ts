import type { ChainId } from './coins.ts';

/** Accounts whose signatures and addresses fit into one Solana transaction (1,232 bytes). */
export const SOLANA_ACCOUNTS_PER_SEND = 9;

/**
 * Where money is spent in parts, as many as one send draws on, the largest: bounds the size of a
 * transaction (20 kvB of the 100 relayed) and the time to sign it (half a second).
 */
export const OUTPUTS_PER_SEND = 300;

/**
 * On chains where a send takes accounts as a whole: how many it can draw on, the merchant's own
 * included; null where money is spent in parts or from one account only. The simulated chains spend
 * any number of parts, whatever their coin.
 */
export function accountsPerSend({ coin, mode }: ChainId): number | null {
  return coin === 'SOL' && mode === 'live' ? SOLANA_ACCOUNTS_PER_SEND : null;
}
