/** Forwards of SOL whose rest would be less than the network demands of an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { ShopHours } from '../../_helpers/svm/shop-traffic.ts';
import { ForwardWorld } from './forward-world.ts';

const FUNDS = parseCoinAmount('3', 'SOL');
const HOUR_MS = 3_700_000;

describe('a forward of SOL', () => {
  let hours: ShopHours;
  let forwards: ForwardWorld;
  const wallet = (): string => hours.wallet.address('SOL');
  const held = (address: string): bigint => hours.node.ledger.machine.lamports(address);
  const fund = async (atoms: bigint): Promise<void> => {
    if (atoms > 0n) hours.payer.pay([{ address: wallet(), amount: atoms }]);
    await hours.poll();
  };

  beforeAll(async () => {
    hours = await ShopHours.open();
    forwards = new ForwardWorld(hours.wallet);
  });
  afterAll(async () => hours[Symbol.asyncDispose]());

  it.each(['0.0005', '0.00089087', '0.00089088', '0.000000001', '0'])(
    'leaves an account that may exist where %s is kept',
    async (keep) => {
      const rent = hours.node.ledger.machine.rentMinimum(0);
      const kept = parseCoinAmount(keep, 'SOL');
      const made = (await forwards.made()).length;
      await fund(FUNDS - held(wallet()));
      const cold = strangerAddress();
      await forwards.rule('SOL', { to: cold, keep, threshold: '0.5', intervalMinutes: 60 });
      hours.wallet.clock.advance(HOUR_MS);
      await hours.poll();
      await forwards.run();
      const view = await forwards.view('SOL');
      expect(view).toMatchObject({ status: 'in_flight', problem: null });
      await hours.poll();
      const all = await forwards.made();
      expect(all.length).toBe(made + 1);
      const left = kept > 0n && kept < rent ? rent : kept;
      expect(held(wallet())).toBe(left);
      expect(held(cold)).toBe(FUNDS - left - BigInt(all.at(-1)?.fee ?? 0));
    },
  );
});
