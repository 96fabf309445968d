import { COIN_DEFINITIONS, type ChainId } from './coins.ts';
import type { SpendingModel } from './coins/definition.ts';

/**
 * Most outputs that one send spends, largest first: bounds the size of a transaction (20 kvB of the
 * 100 relayed) and the time to sign it (half a second).
 */
export const OUTPUTS_PER_SEND = 300;

/** How sends of a chain draw on money. Simulated chains spend outputs, whatever their coin. */
export function spendingOf({ coin, mode }: ChainId): SpendingModel {
  return mode === 'live' ? COIN_DEFINITIONS[coin].spending : 'outputs';
}

/**
 * On chains where a send empties whole accounts: how many it can draw on, the merchant's own
 * included; null where sends spend outputs or one account only.
 */
export function accountsPerSend(chain: ChainId): number | null {
  const definition = COIN_DEFINITIONS[chain.coin];
  if (spendingOf(chain) !== 'many-accounts' || definition.family === 'utxo') return null;
  return definition.accountsPerSend;
}
