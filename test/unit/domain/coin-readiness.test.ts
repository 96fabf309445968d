import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coinReadiness, type FollowedChain } from '../../../src/domain/coin-readiness.ts';
import { COINS } from '../../../src/domain/coins.ts';

const chain = (fields: Partial<FollowedChain>): FollowedChain => ({
  coin: 'BTC',
  mode: 'live',
  state: 'following',
  height: 925_000,
  lag: 0,
  errorKind: null,
  ...fields,
});
const btcOf = (chains: readonly FollowedChain[]) => coinReadiness(chains).find(({ coin }) => coin === 'BTC');

describe('coinReadiness', () => {
  it.each([
    [null, 'not_configured', 'this server has no node for it'],
    [{}, 'ready', 'its node is in sync with the network'],
    [
      { state: 'starting', height: null, lag: null },
      'unknown',
      'its node is not known yet, because the server has just started',
    ],
    [
      { state: 'catching_up', height: 812_345, lag: 1_234 },
      'syncing',
      'its node is still syncing at block 812345, 1234 to go',
    ],
    [{ state: 'behind', height: 812_345, lag: 0 }, 'syncing', 'its node is still syncing at block 812345'],
    [{ state: 'behind', height: null, lag: null }, 'syncing', 'its node is still syncing'],
    [{ state: 'wrong_chain', errorKind: 'wrong_chain' }, 'wrong_network', 'its node serves another network'],
    [{ state: 'error', errorKind: 'unavailable' }, 'unreachable', 'its node cannot be reached'],
    [
      { state: 'error', errorKind: 'bad_answer' },
      'failing',
      'its node answers, but its chain cannot be followed',
    ],
    [{ state: 'error', errorKind: null }, 'failing', 'its node answers, but its chain cannot be followed'],
  ] as const)('reports a coin with the live chain %j as %s', (fields, state, message) => {
    expect(btcOf(fields === null ? [] : [chain(fields)])).toMatchObject({ state, message });
  });

  it('does not depend on the sandbox chain', () => {
    expect(btcOf([chain({ mode: 'sandbox' })])?.state).toBe('not_configured');
  });

  const anyChain = fc.record({
    coin: fc.constantFrom(...COINS),
    mode: fc.constantFrom('live' as const, 'sandbox' as const),
    state: fc.constantFrom(
      'starting' as const,
      'following' as const,
      'catching_up' as const,
      'behind' as const,
      'wrong_chain' as const,
      'error' as const,
    ),
    height: fc.option(fc.nat()),
    lag: fc.option(fc.nat()),
    errorKind: fc.constantFrom(null, 'unavailable' as const, 'bad_answer' as const, 'pruned' as const),
  });

  it('lists every coin, and marks as ready only those whose live chain is in sync', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyChain, { selector: ({ coin, mode }) => `${coin}/${mode}` }), (chains) => {
        const told = coinReadiness(chains);
        expect(told.map(({ coin }) => coin)).toEqual(COINS);
        for (const { coin, state } of told) {
          const isFollowed = chains.some(
            (one) => one.coin === coin && one.mode === 'live' && one.state === 'following',
          );
          expect(state === 'ready').toBe(isFollowed);
        }
      }),
    );
  });
});
