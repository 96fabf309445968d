import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { NETWORKS } from '../../../src/domain/coins.ts';
import { scanBlock } from '../../unit/chains/utxo/raw-chain.ts';
import { GENESIS, genesisBlock } from './genesis.ts';

describe('genesis blocks', () => {
  for (const coin of Object.values(UTXO_COINS)) {
    for (const network of NETWORKS) {
      for (const { chain, genesisHash } of coin.networks[network].identities) {
        it(`of ${coin.name} ${network} (${chain}) have the published hash`, () => {
          const recipe = GENESIS[`${coin.code} ${chain}`];
          expect(recipe).toBeDefined();
          const block = genesisBlock(recipe!);
          expect(block.hash).toBe(genesisHash);
          const scanned = scanBlock(block.bytes, genesisHash, coin.hasMweb);
          expect(scanned.parentHash).toBe('00'.repeat(32));
          expect(scanned.timeMs).toBe(recipe!.time * 1000);
          expect(scanned.candidates).toHaveLength(1);
        });
      }
    }
  }
});
