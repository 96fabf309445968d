import type { Coin } from '../../../src/domain/coins.ts';
import { assertNever } from '../../../src/domain/errors.ts';
import type { ChainWorld } from '../chain-world.ts';
import type { WorldClock } from '../world-clock.ts';
import { startEthereumWorld } from './ethereum/ethereum-world.ts';
import { startSolanaWorld } from './solana/solana-world.ts';
import { startUtxoWorld } from './utxo/utxo-world.ts';

export async function startWorld(coin: Coin, clock: WorldClock): Promise<ChainWorld> {
  switch (coin) {
    case 'SOL':
      return startSolanaWorld(clock);
    case 'ETH':
      return startEthereumWorld(clock);
    case 'BTC':
    case 'LTC':
      return startUtxoWorld(coin, clock);
    default:
      return assertNever(coin);
  }
}
