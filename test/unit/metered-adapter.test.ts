import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ChainAdapter, UnconfirmedCredit } from '../../src/domain/chain.ts';
import { meterAdapter } from '../../src/metrics/metered-adapter.ts';
import { createNodeMetrics } from '../../src/metrics/node-metrics.ts';

const METHODS =
  'status tip hashAt blockBefore blockAt recheck validateAddress watchKey paymentUri feeQuote planSend signSend planReplacement broadcast close'.split(
    ' ',
  );

/** What only some chains can do. */
const PARTS = {
  sparse: ['finalizedHeight', 'finalAfter'],
  finality: ['finalBlocks'],
  wholeAccounts: ['heldNow', 'measure'],
  funds: ['heldAfter', 'balancesAt', 'usedAmong'],
} as const;

test('meterAdapter passes every argument and every result through', async () => {
  const parts = { coin: 'ETH', mode: 'live', network: 'regtest', minimumPayment: 1n };
  const methods = METHODS.map((name) => [name, (...args: unknown[]) => ({ name, args })]);
  const adapter = { ...parts, ...Object.fromEntries(methods) } as ChainAdapter;
  const metered = meterAdapter(adapter, createNodeMetrics(new Registry()), { now: () => 0 });
  expect(metered).toMatchObject(parts);
  for (const name of METHODS) {
    const method = metered[name as keyof ChainAdapter] as (...args: unknown[]) => unknown;
    const given = Array.from({ length: adapterArity(name) }, (_, at) => `argument ${at}`);
    expect(await method(...given)).toEqual({ name, args: given });
  }
});

test('meterAdapter measures optional methods that only some chains have', async () => {
  const registry = new Registry();
  const parts = Object.entries(PARTS).map(([part, names]) => [
    part,
    Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => ({ name, args })])),
  ]);
  const adapter = { coin: 'ETH', mode: 'live', ...Object.fromEntries(parts) } as ChainAdapter;
  const metered = meterAdapter(adapter, createNodeMetrics(registry), { now: () => 0 });
  for (const [part, names] of Object.entries(PARTS)) {
    const methods = metered[part as keyof typeof PARTS] as unknown as Record<
      string,
      (arg: number) => unknown
    >;
    for (const name of names) expect(await methods[name]!(7)).toEqual({ name, args: [7] });
  }
  const told = await registry.metrics();
  const timed = Object.values(PARTS)
    .flat()
    .filter((name) => told.includes(`call="${name}"`));
  expect(timed).toEqual(Object.values(PARTS).flat());
});

test('meterAdapter does not add a method that the chain lacks', () => {
  const adapter = { coin: 'BTC', mode: 'live' } as ChainAdapter;
  const metered = meterAdapter(adapter, createNodeMetrics(new Registry()), { now: () => 0 });
  const optional = [
    'blockBatches',
    'sparse',
    'finality',
    'wholeAccounts',
    'expiry',
    'funds',
    'hints',
  ] as const;
  expect(optional.filter((name) => metered[name] !== undefined)).toEqual([]);
});

const MINUTE = 60_000;

const refOf = (txid: string): Pick<UnconfirmedCredit, 'ref'> => ({ ref: { txid, index: 0 } });

/** A chain whose next block is what a test says, and the delays that were measured there. */
function delaysOf(coin: 'BTC' | 'ETH'): {
  block: (at: { height: number; timeMs: number }, txids: string[]) => Promise<void>;
  view: (height: number, times: Record<string, number | null>) => Promise<void>;
  seconds: () => Promise<[count: number, sum: number]>;
} {
  const registry = new Registry();
  let answer: unknown;
  const adapter = { coin, mode: 'live', blockAt: () => answer, unconfirmed: () => answer };
  const metered = meterAdapter(adapter as unknown as ChainAdapter, createNodeMetrics(registry), {
    now: () => 10 * MINUTE,
  });
  return {
    block: async (at, txids) => {
      answer = { ...at, credits: txids.map(refOf) };
      await metered.blockAt(at.height);
    },
    view: async (height, times) => {
      const credits = Object.entries(times).map(([txid, nodeTimeMs]) => ({ ...refOf(txid), nodeTimeMs }));
      answer = { tip: { height }, credits };
      await metered.unconfirmed();
    },
    seconds: async () => {
      const found = await registry.getSingleMetric('tilld_detection_delay_seconds')?.get();
      const value = (name: string): number =>
        found?.values.find((each) => 'metricName' in each && String(each.metricName).endsWith(name))?.value ??
        0;
      return [value('_count'), value('_sum')];
    },
  };
}

test('meterAdapter measures once how long after the node first saw a payment the daemon detected it', async () => {
  const { view, block, seconds } = delaysOf('BTC');
  await view(5, { old: 0 });
  await view(5, { old: 0, one: 8 * MINUTE });
  await view(5, { old: 0, one: 8 * MINUTE });
  await block({ height: 6, timeMs: MINUTE }, ['one', 'unheard of']);
  expect(await seconds()).toEqual([1, 120]);
});

test('meterAdapter measures from the block time when the node does not report when it first saw a transaction', async () => {
  const { view, block, seconds } = delaysOf('ETH');
  await block({ height: 4, timeMs: 0 }, ['before the first look']);
  await view(5, { one: null });
  await view(5, { one: null });
  await block({ height: 6, timeMs: 9 * MINUTE }, ['one', 'two']);
  expect(await seconds()).toEqual([2, 120]);
  // Read again after a reorganisation or by scripts/rescan: nothing new.
  await block({ height: 3, timeMs: 0 }, ['before the first look']);
  await block({ height: 6, timeMs: 9 * MINUTE }, ['one', 'two']);
  expect(await seconds()).toEqual([2, 120]);
  await block({ height: 7, timeMs: 11 * MINUTE }, ['ahead of our clock']);
  expect(await seconds()).toEqual([3, 120]);
});

/** Arguments each method has at most (see ChainAdapter). */
function adapterArity(name: string): number {
  if (['status', 'tip', 'close'].includes(name)) return 0;
  return name === 'signSend' ? 2 : 1;
}
