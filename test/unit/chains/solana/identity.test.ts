import { describe, expect, it } from 'vitest';
import { checkGenesis } from '../../../../src/chains/solana/rpc/identity.ts';
import { ChainError } from '../../../../src/domain/chain.ts';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const PRIVATE = '7cEJpNBZzXDjS6mUwcR2LqmHFGd8yzJb3dRbPf2PzTXn';

describe('checkGenesis of a Solana node', () => {
  it.each([
    ['mainnet', MAINNET],
    ['testnet', DEVNET],
    ['regtest', PRIVATE],
  ] as const)('accepts the genesis hash of %s', (network, hash) => {
    expect(() => checkGenesis(network, hash)).not.toThrow();
  });

  it.each([
    ['mainnet', DEVNET, 'devnet'],
    ['mainnet', PRIVATE, 'private cluster'],
    ['testnet', MAINNET, 'mainnet-beta'],
    ['regtest', MAINNET, 'mainnet-beta'],
  ] as const)('rejects, on %s, the genesis hash %s', (network, hash, named) => {
    expect(() => checkGenesis(network, hash)).toThrow(ChainError);
    expect(() => checkGenesis(network, hash)).toThrow(named);
  });
});
