import { COIN_DEFINITIONS, type ChainId } from './coins.ts';
import type { SpendingModel } from './coins/definition.ts';

/**
 * Maximum number of outputs that one transaction spends, largest first. This many native segwit inputs fit
 * into the 100 kvB that nodes relay; signing them takes two seconds.
 */
export const OUTPUTS_PER_SEND = 1_450;

/**
 * Maximum number of outputs that one consolidation spends, so that its change can be spent while it is
 * unconfirmed.
 */
export const OUTPUTS_PER_CONSOLIDATION = 300;

/** How sends of a chain select coins. Simulated chains spend outputs, whatever their coin. */
export function spendingModel({ coin, mode }: ChainId): SpendingModel {
  return mode === 'live' ? COIN_DEFINITIONS[coin].spending : 'outputs';
}

/**
 * On chains where a send empties whole accounts: the maximum number of accounts it draws on, the merchant's
 * own included. Null where sends spend outputs or one account only.
 */
export function accountsPerSend(chain: ChainId): number | null {
  const definition = COIN_DEFINITIONS[chain.coin];
  if (spendingModel(chain) !== 'many-accounts' || definition.family === 'utxo') return null;
  return definition.accountsPerSend;
}
