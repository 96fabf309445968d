import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { Shop, type PaymentJson, type SendJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

const HOUR_MS = 3_600_000;
const GWEI = 1_000_000_000n;

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

interface Pending {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly maxFeePerGas: string;
}

describe.skipIf(!requireAnvil())('stuck ETH transactions', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('ETH', {
      app: { sendPolicy: { ...DEFAULT_SEND_POLICY, retryMs: 500, rebroadcastMs: 1_000 } },
    });
    ({ node: anvil, proxy, till, shop } = world);
  });
  afterAll(async () => world.end());

  const waiting = async (): Promise<Pending[]> => {
    const pool = await anvil.rpc<{ pending: Record<string, Record<string, Pending>> }>('txpool_content');
    return Object.values(pool.pending).flatMap((byNonce) => Object.values(byNonce));
  };
  const waitingFrom = async (address: string, price: (atoms: bigint) => boolean): Promise<Pending> => {
    const found = await eventually(
      `the node has what ${address} sends`,
      async () => (await waiting()).filter(isFrom(address)),
      ([first]) => first !== undefined && price(BigInt(first.maxFeePerGas)),
    );
    return found[0]!;
  };
  /** The next block asks this much, and so does, an eighth less each, every one after it. */
  const baseFee = async (gwei: bigint): Promise<void> => {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(gwei * GWEI).toString(16)}`]);
    await anvil.mine(1);
  };
  /** Sees what the daemon does once it finds its transactions stuck: two looks at them at least. */
  const looksAgain = async (): Promise<void> => {
    for (let look = 0; look < 2; look += 1) {
      till.clock.advance(2 * HOUR_MS);
      const calls = proxy.calls('eth_maxPriorityFeePerGas');
      await proxy.waitForCall('eth_maxPriorityFeePerGas', calls + 1, 20_000);
    }
  };
  const deposit = async (amount: string): Promise<PaymentJson> => {
    await baseFee(1n);
    const payment = await shop.createPayment({ amount, currency: 'USD', allowedCryptos: ['ETH'] });
    const { address, amount: due, requiredConfirmations } = payment.options.ETH;
    await anvil.pay({ address, amount: wei(due) });
    await anvil.mine(requiredConfirmations);
    return payment;
  };

  it('get a fee bump of at least an eighth when they sweep a deposit, deducted from the amount', async () => {
    const payment = await deposit('1000');
    const { address, amount } = payment.options.ETH;
    const first = await waitingFrom(address, () => true);
    await baseFee(30n);
    till.clock.advance(2 * HOUR_MS);
    const paid = BigInt(first.maxFeePerGas);
    const second = await waitingFrom(address, (price) => price !== paid);
    expect(second.nonce).toBe(first.nonce);
    expect(BigInt(second.maxFeePerGas) * 8n).toBeGreaterThanOrEqual(paid * 9n);
    await eventually(
      'it is mined',
      async () => {
        await baseFee(30n);
        return anvil.rpc<{ gasUsed: string; effectiveGasPrice: string } | null>('eth_getTransactionReceipt', [
          second.hash,
        ]);
      },
      (receipt) => receipt !== null,
    );
    const fee = 21_000n * BigInt(second.maxFeePerGas);
    await eventually(
      'the balance is what came less what it really cost',
      () => shop.balance('ETH'),
      (balance) => wei(balance) === wei(amount) - fee,
    );
    expect(await anvil.balance(address)).toBe(0n);
    expect(await anvil.balance(shop.wallets.ETH)).toBe(wei(amount) - fee);
  });

  it('are avoided by not sweeping a small deposit while gas costs more than its value', async () => {
    const payment = await deposit('10');
    const { address } = payment.options.ETH;
    const first = await waitingFrom(address, () => true);
    await baseFee(60n);
    await looksAgain();
    // anvil forgets what pays less than its base fee; the till offers the same bytes again and no others.
    const others = (await waiting()).filter(({ hash }) => hash !== first.hash);
    expect(others.filter(isFrom(address))).toEqual([]);
    expect(await anvil.balance(address)).toBe(wei(payment.options.ETH.amount));
    await baseFee(1n);
    await eventually(
      'it is moved',
      async () => {
        await anvil.mine(1);
        return anvil.balance(address);
      },
      (left) => left === 0n,
    );
  });

  it('also get a fee bump when they close a nonce gap, because all later sends wait for them', async () => {
    await baseFee(1n);
    const own = shop.wallets.ETH;
    // Nothing else is to be offered from here on: the fault below must meet the send.
    await eventually(
      'what was moved has arrived',
      async () => wei(await shop.balance('ETH')) - (await anvil.balance(own)),
      (difference) => difference === 0n,
    );
    const destination = await anvil.newAddress();
    const send = async (amount: string) => shop.send({ coin: 'ETH', amount, destination });
    const calls = proxy.calls('eth_sendRawTransaction');
    const scope = { methods: ['eth_sendRawTransaction'], times: 1 };
    proxy.inject({ kind: 'delay', delayMs: 1_000 }, scope);
    proxy.inject({ kind: 'rpcError', code: -32000, message: 'insufficient funds for gas' }, scope);
    const refused = send('0.01');
    await proxy.waitForCall('eth_sendRawTransaction', calls + 1);
    const next = await send('0.2');
    expect((await refused).body.error?.code).toBe('SEND_REJECTED');
    await eventually(
      'the gap is closed',
      async () => (await waiting()).filter(isFrom(own)),
      (found) => found.length === 2,
    );
    await baseFee(120n);
    till.clock.advance(2 * HOUR_MS);
    const sent = async (): Promise<SendJson> =>
      shop.api.must('GET', `/merchant/wallet/send-status?sendId=${next.body.data.id}`, {
        token: shop.secretKey,
      });
    await eventually(
      'the send after the gap is mined',
      async () => {
        await baseFee(120n);
        return sent();
      },
      ({ status }) => status === 'confirmed',
    );
    expect(await anvil.balance(destination)).toBe(wei('0.2'));
    await eventually(
      'the ledger knows what is left',
      async () => wei(await shop.balance('ETH')) - (await anvil.balance(own)),
      (difference) => difference === 0n,
    );
    expect(formatCoinAmount(await anvil.balance(own), 'ETH')).toBe(await shop.balance('ETH'));
  });
});

function isFrom(address: string): (transaction: Pending) => boolean {
  return ({ from }) => from === address.toLowerCase();
}
