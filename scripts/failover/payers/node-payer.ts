import type { Coin } from '../../../src/domain/coins.ts';
import { assertNever } from '../../../src/domain/errors.ts';
import type { Payer } from '../payer.ts';
import { ethereumPayer } from './ethereum.ts';
import { solanaPayer } from './solana.ts';
import { utxoPayer } from './utxo.ts';

/** Pays on a node that it starts. */
export async function nodePayer(coin: Coin): Promise<Payer> {
  switch (coin) {
    case 'BTC':
    case 'LTC':
      return utxoPayer(coin);
    case 'ETH':
      return ethereumPayer();
    case 'SOL':
      return solanaPayer();
    default:
      return assertNever(coin);
  }
}
