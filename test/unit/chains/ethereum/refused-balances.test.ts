import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BalanceReader } from '../../../../src/chains/ethereum/accounts/balance-reads.ts';
import type { Rpc } from '../../../../src/chains/ethereum/rpc/rpc.ts';
import { RpcRefusal } from '../../../../src/chains/shared/json-rpc.ts';

const REFUSAL = new RpcRefusal('eth_getBalance', -32_000, 'corrupted account');
const accountAt = (at: number): string => `0x${at.toString(16).padStart(40, '0')}`;
const balanceOf = (account: string): bigint => BigInt(account) + 1n;

/** A node that takes no bulk call and refuses the balances of some accounts. */
function readerBeside(isRefused: (account: string) => boolean, batchSize: number) {
  const lines: object[] = [];
  const calls = { bulk: 0 };
  const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) };
  const rpc = {
    call: async () => {
      calls.bulk += 1;
      throw new RpcRefusal('eth_call', -32_000, 'corrupted account');
    },
    batch: async (requests: readonly { readonly params: readonly unknown[] }[]) =>
      requests.map(({ params: [account] }) =>
        isRefused(String(account)) ? REFUSAL : { result: `0x${balanceOf(String(account)).toString(16)}` },
      ),
  } as unknown as Rpc;
  const clock = { ms: 3_600_000, now: () => clock.ms };
  return { reader: new BalanceReader(rpc, { batchSize, clock, logger }), lines, clock, calls };
}

describe('BalanceReader with a node that refuses the balances of some accounts', () => {
  it('reads every balance except those that the node refuses, wherever they are in the list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(),
        async (count, batchSize, pick) => {
          const accounts = Array.from({ length: count }, (_, at) => accountAt(at));
          const refused = accountAt(pick % count);
          const { reader, lines } = readerBeside((account) => account === refused, batchSize);
          const { answers, failure } = await reader.read(accounts, '0xblock');
          expect(failure).toBeNull();
          expect(answers).toEqual(
            accounts.map((account) => (account === refused ? 'unreadable' : balanceOf(account))),
          );
          expect(lines.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('treats a refusal for every account as a failure of the node', async () => {
    const { reader, lines } = readerBeside(() => true, 2);
    const { answers, failure } = await reader.read([0, 1, 2, 3].map(accountAt), '0xblock');
    expect(answers).toEqual([]);
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('corrupted') });
    expect(lines).toEqual([]);
  });

  it('returns the balances that it had read when the node began to refuse every account', async () => {
    const accounts = Array.from({ length: 20 }, (_, at) => accountAt(at));
    const { reader } = readerBeside((account) => BigInt(account) >= 4n && BigInt(account) < 19n, 2);
    const { answers, failure } = await reader.read(accounts, '0xblock');
    expect(answers).toEqual(accounts.slice(0, 4).map(balanceOf));
    expect(failure?.kind).toBe('unavailable');
  });

  it('sends a bulk call again immediately after the clock was set back', async () => {
    const { reader, clock, calls } = readerBeside(() => false, 10);
    const accounts = [0, 1].map(accountAt);
    await reader.read(accounts, '0xblock');
    await reader.read(accounts, '0xblock');
    expect(calls.bulk).toBe(1);
    clock.ms -= 3_600_000;
    await reader.read(accounts, '0xblock');
    expect(calls.bulk).toBe(2);
  });
});
