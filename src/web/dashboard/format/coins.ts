import type { Coin } from '../contract/types.ts';

/**
 * The colour of each coin, in display order; a coin that is added to the API fails to compile here.
 * Tailwind finds only class names that are written in full.
 */
export const COIN_CLASSES: Record<Coin, { readonly dot: string; readonly bar: string }> = {
  BTC: { dot: 'bg-[#e8820c]', bar: 'fill-[#e8820c]' },
  ETH: { dot: 'bg-[#5b6ee1]', bar: 'fill-[#5b6ee1]' },
  LTC: { dot: 'bg-[#2f9bb3]', bar: 'fill-[#2f9bb3]' },
  SOL: { dot: 'bg-[#8b4df5]', bar: 'fill-[#8b4df5]' },
};
export const COINS = Object.keys(COIN_CLASSES) as Coin[];
