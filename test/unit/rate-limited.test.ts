import { expect, it } from 'vitest';
import { ChainError } from '../../src/domain/chain.ts';

it.each([
  'eth_getBalance: the node limits our rate (429)',
  'eth_call: Your app has exceeded its compute units per second capacity',
  'getMultipleAccounts: Too many requests for a specific RPC call',
  'eth_getBlockByHash: daily request limit reached - upgrade your account',
  'getSlot: HTTP 429',
])('ChainError recognises a rate limit of a node in %s', (message) => {
  expect(new ChainError('unavailable', message).isRateLimited).toBe(true);
  expect(new ChainError('bad_answer', message).isRateLimited).toBe(false);
});

it.each(['getblockhash: no answer from 127.0.0.1:9332', 'the node does not know block 4290 yet'])(
  'ChainError does not treat other failures as a rate limit: %s',
  (message) => {
    expect(new ChainError('unavailable', message).isRateLimited).toBe(false);
  },
);
