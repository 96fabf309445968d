import { COIN_DEFINITIONS, type ChainId } from './coins.ts';
import type { SpendingModel } from './coins/definition.ts';

/**
 * Most outputs that one transaction spends, largest first: as many of the native segwit kind as fit into the 100 kvB
 * that nodes relay. Their signatures take two seconds.
 */
export const OUTPUTS_PER_SEND = 1_450;

/** Most outputs that one consolidation spends, so that its result can be spent before a block holds it. */
export const OUTPUTS_PER_CONSOLIDATION = 300;

/** How sends of a chain draw on money. Simulated chains spend outputs, whatever their coin. */
export function spendingModel({ coin, mode }: ChainId): SpendingModel {
  return mode === 'live' ? COIN_DEFINITIONS[coin].spending : 'outputs';
}

/**
 * On chains where a send empties whole accounts: how many it can draw on, the merchant's own
 * included; null where sends spend outputs or one account only.
 */
export function accountsPerSend(chain: ChainId): number | null {
  const definition = COIN_DEFINITIONS[chain.coin];
  if (spendingModel(chain) !== 'many-accounts' || definition.family === 'utxo') return null;
  return definition.accountsPerSend;
}
