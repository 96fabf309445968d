import type { Coin } from '../contract/types.ts';

/**
 * What each coin is drawn in, in the order coins are shown; one that the API gains fails to compile here. Tailwind
 * finds class names only where they stand in full.
 */
export const COIN_CLASSES: Record<Coin, { readonly dot: string; readonly bar: string }> = {
  BTC: { dot: 'bg-[#e8820c]', bar: 'fill-[#e8820c]' },
  ETH: { dot: 'bg-[#5b6ee1]', bar: 'fill-[#5b6ee1]' },
  LTC: { dot: 'bg-[#2f9bb3]', bar: 'fill-[#2f9bb3]' },
  SOL: { dot: 'bg-[#8b4df5]', bar: 'fill-[#8b4df5]' },
};
export const COINS = Object.keys(COIN_CLASSES) as Coin[];
