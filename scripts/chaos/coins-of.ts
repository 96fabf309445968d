import { asCoin, COINS, type Coin } from '../../src/domain/coins.ts';

/** Coins of a list such as `BTC,SOL`. @throws with the names of unknown coins */
export function coinsOf(list: string): Coin[] {
  return list.split(',').map((name): Coin => {
    const coin = asCoin(name.trim().toUpperCase());
    if (coin === null) throw new Error(`--coin accepts ${COINS.join()}, not ${name}`);
    return coin;
  });
}
