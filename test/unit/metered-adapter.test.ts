import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ChainAdapter } from '../../src/domain/chain.ts';
import { meterAdapter } from '../../src/metrics/metered-adapter.ts';
import { createNodeMetrics } from '../../src/metrics/node-metrics.ts';

const METHODS =
  'status tip hashAt blockBefore blockAt blockAfter finalizedHeight planRenewal recheck addressProblem watchKey paymentUri feeQuote planSend signSend planBump broadcast scanUnspent close'.split(
    ' ',
  );

test('a metered adapter passes every argument on and every answer back', async () => {
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

test('a metered adapter has nothing that the chain does not have', () => {
  const adapter = { coin: 'BTC', mode: 'live' } as ChainAdapter;
  const metered = meterAdapter(adapter, createNodeMetrics(new Registry()), { now: () => 0 });
  const optional = ['blockAfter', 'finalizedHeight', 'planRenewal', 'scanUnspent'] as const;
  expect(optional.filter((name) => metered[name] !== undefined)).toEqual([]);
});

/** Arguments each method has at most (see ChainAdapter). */
function adapterArity(name: string): number {
  if (['status', 'tip', 'finalizedHeight', 'close'].includes(name)) return 0;
  return name === 'signSend' || name === 'planRenewal' ? 2 : 1;
}
