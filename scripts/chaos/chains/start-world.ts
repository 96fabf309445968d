import type { Coin } from '../../../src/domain/coins.ts';
import type { ChainWorld } from '../chain-world.ts';
import type { WorldClock } from '../world-clock.ts';
import { startSolanaWorld } from './solana/solana-world.ts';
import { startUtxoWorld } from './utxo/utxo-world.ts';

export async function startWorld(coin: Coin, clock: WorldClock): Promise<ChainWorld> {
  if (coin === 'SOL') return startSolanaWorld(clock);
  if (coin === 'BTC' || coin === 'LTC') return startUtxoWorld(coin, clock);
  throw new Error(coin);
}
