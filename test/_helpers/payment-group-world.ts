/** A shop whose payers may renew expired payments, on scripted chains. */
import { renewPayment } from '../../src/usecases/checkout/renew-payment.ts';
import type { PaymentView } from '../../src/usecases/payments/present-payment.ts';
import {
  addressOf,
  MINUTE,
  openPaymentWorld,
  type PaymentWorld,
  type PaymentWorldOptions,
} from './payment-world.ts';
import { creditTo } from './scripted-chain.ts';

/** What an order of the world costs, at its 100 dollars a coin. */
export const PRICE = 50_000_000n;

export type GroupWorld = Awaited<ReturnType<typeof openGroupWorld>>;

export async function openGroupWorld(options: PaymentWorldOptions = {}) {
  const world = await openPaymentWorld(options);
  await world.deps.db.updateTable('merchants').set({ renewExpired: true }).execute();
  await world.poll();
  return { world, ...actions(world) };
}

function actions(world: PaymentWorld) {
  const at = (paymentId: string) => ({ merchantId: world.wallet.merchant.id, paymentId });
  const runOut = async (): Promise<void> => {
    world.advance(61 * MINUTE);
    await world.poll();
    await world.expire();
  };
  const tryRenew = async ({ id }: { id: string }): Promise<string | null> =>
    (await renewPayment(world.deps, id, async () => {}))?.paymentId ?? null;
  const renew = async (payment: { id: string }): Promise<PaymentView> => {
    const id = await tryRenew(payment);
    if (id === null) throw new Error('it cannot be renewed');
    return world.payment({ id });
  };
  return {
    at,
    runOut,
    tryRenew,
    renew,
    /** An expired payment and its renewal by the payer. */
    renewed: async (more: Parameters<PaymentWorld['order']>[0] = {}): Promise<[PaymentView, PaymentView]> => {
      const first = await world.order(more);
      await runOut();
      return [first, await renew(first)];
    },
    /** Pays an address in a block, and mines another, so that it is settled. */
    pay: async (payment: PaymentView, amount: bigint, coin: 'BTC' | 'LTC' = 'BTC'): Promise<string> => {
      world.advance(1_000);
      const credit = creditTo(addressOf(payment, coin), amount);
      world.chains[coin].mine(world.now(), [credit]);
      world.chains[coin].mine(world.now());
      await world.poll(coin);
      return credit.ref.txid;
    },
    /** All events of these payments, in the order in which they were written. */
    told: async (...payments: readonly { id: string }[]): Promise<string[]> => {
      const names = new Map(payments.map(({ id }, place) => [id, `P${place + 1}`]));
      const rows = await world.deps.db
        .selectFrom('events')
        .select(['type', 'paymentId'])
        .where('paymentId', 'in', [...names.keys()])
        .orderBy('seq')
        .execute();
      return rows.map(({ type, paymentId: id }) => `${names.get(id ?? '')} ${type.replace('payment.', '')}`);
    },
  };
}
