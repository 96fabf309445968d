/** A shop on a real node whose payments are forwarded to cold storage until only the kept amount remains. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { PaymentJson, SendJson } from '../../_helpers/api-client.ts';
import { openLiveWorld } from '../../_helpers/live-world.ts';
import { type NodeCoin, type RegtestNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { auditChain, type ChainAudit, scanUnspent, sum } from './chain-audit.ts';

interface Deposits {
  readonly coin: NodeCoin;
  /** Payments that are made and paid together, and then forwarded. */
  readonly waves: readonly number[];
  /** A key of another wallet; one address without. */
  readonly descriptor?: string;
  readonly keep: string;
}

interface ForwardJson {
  readonly coin: string;
  readonly status: string;
  readonly problem: string | null;
  readonly descriptor: string | null;
  readonly lastSendId: string | null;
}

/** Weight units: MAX_STANDARD_TX_WEIGHT of Bitcoin Core. */
const STANDARD_WEIGHT = 400_000;
/** TILLD_CONSOLIDATE_BELOW, atoms per vB. */
const CONSOLIDATE_BELOW = 2n;
/** Fees are planned for signatures of full length. */
const WEIGHT_ROUNDED = 1_000;
const OUTPUTS_PER_PAYMENT = 250;
const MINUTE_MS = 60_000;
const LIMIT_MS = 600_000;
const LINKS = 3;
/** The lowest price, and the number of whole dollars from there on: LTC is worth a thousandth of BTC. */
const USD = { BTC: { from: 20, range: 97 }, LTC: { from: 2, range: 17 } } as const;

export interface Figures {
  readonly transactions: number;
  readonly sends: number;
  readonly fees: bigint;
  readonly blockedMs: number;
  readonly grownMb: number;
}

/** Pays, forwards and compares every atom with the node. */
export async function forwardDeposits({ coin, waves, descriptor, keep }: Deposits): Promise<Figures> {
  const env = { TILLD_FORWARD_DELAY: '0s' };
  await using world = await openLiveWorld<NodeCoin>(coin, { env });
  const { node, shop } = world;
  const { height: start } = await node.tip();
  const address = await node.foreignAddress();
  const where = descriptor === undefined ? { destination: address } : { descriptor };
  const rule = { merchantId: shop.merchantId, coin, keep, threshold: '0.0001', intervalMinutes: 1, ...where };
  await shop.api.must('PATCH', '/merchant/wallet/forward', { token: shop.token, body: rule });
  const view = async (): Promise<ForwardJson> => {
    const { forwards } = await shop.api.must<{ forwards: ForwardJson[] }>('GET', '/merchant/wallet/forward', {
      token: shop.secretKey,
    });
    const [found] = forwards;
    if (found === undefined) throw new Error('the shop has no rule');
    return found;
  };
  let blockedMs = 0;
  const rssBefore = process.memoryUsage().rss;
  const payments: PaymentJson[] = [];
  const sendIds = new Set<string>();
  let promised = 0n;
  for (const [at, count] of waves.entries()) {
    const wave: PaymentJson[] = [];
    for (let made = 0; made < count; made += 1) {
      const cents = (USD[coin].from + (made % USD[coin].range)) * 100 + ((made * 37) % 100);
      const amount = (cents / 100).toFixed(2);
      wave.push(await shop.createPayment({ amount, allowedCryptos: [coin] }));
    }
    payments.push(...wave);
    // Links must exist before the money can be forwarded.
    const early = at === 0 ? wave.splice(0, LINKS) : [];
    if (early.length > 0) promised = await promise(world, coin, early);
    await payAll(node, coin, wave);
    // A new one each time: one that is enabled again counts the time since it was disabled.
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    for (const { id } of wave.slice(-1)) await complete(world, id);
    await settleWave(world, coin, { view, sendIds, kept: parseCoinAmount(keep, coin) + promised });
    delay.disable();
    blockedMs = Math.max(blockedMs, Math.round(delay.max / 1e6));
  }
  const { descriptor: canonical } = await view();
  const cold = new Set(
    canonical === null ? [address] : await node.rpc<string[]>('deriveaddresses', [canonical, [0, 100]]),
  );
  const deposits = new Set(payments.map(({ options }) => options[coin].address));
  expect(deposits.size).toBe(payments.length);
  const audit = await auditChain(node, start, { deposits, cold });
  const forwarded = sum(audit.spends.flatMap(({ paid }) => [...paid.values()]));
  const fees = sum(audit.spends.map(({ fee }) => fee));
  // Each payment was paid once, and blocks spend each deposit at most once.
  expect(audit.deposits.count).toBe(payments.length);
  expect(audit.deposits.sum).toBe(
    sum(payments.map(({ options }) => parseCoinAmount(options[coin].amount, coin))),
  );
  expect(audit.left).toBe(parseCoinAmount(keep, coin) + promised);
  expect(forwarded + fees + audit.left).toBe(audit.deposits.sum);
  const scanned = await scanUnspent(node, canonical ?? address);
  const finals = audit.spends.filter(({ paid }) => paid.size > 0);
  expect(scanned).toEqual({ atoms: forwarded, count: finals.length });
  expect(await shop.balance(coin)).toBe(formatCoinAmount(audit.left, coin));
  // A forward is one send, and each has an address of its own.
  expect(finals.length).toBe(sendIds.size);
  const paidTo = finals.flatMap(({ paid }) => [...paid.keys()]);
  expect(new Set(paidTo).size).toBe(canonical === null ? 1 : finals.length);
  for (const { weight, fee, paid } of audit.spends) {
    expect(weight).toBeLessThanOrEqual(STANDARD_WEIGHT);
    // The others are consolidations, which start below this rate.
    if (paid.size === 0)
      expect(fee * 4n).toBeLessThanOrEqual(CONSOLIDATE_BELOW * BigInt(weight + WEIGHT_ROUNDED));
  }
  await compareSends(world.shop, coin, { sendIds, spends: finals });
  const grownMb = Math.round((process.memoryUsage().rss - rssBefore) / 1e6);
  return { transactions: audit.spends.length, sends: finals.length, fees, blockedMs, grownMb };
}

type World = Awaited<ReturnType<typeof openLiveWorld<NodeCoin>>>;

/** Pays each payment its quoted amount. */
async function payAll(node: RegtestNode, coin: NodeCoin, payments: readonly PaymentJson[]): Promise<void> {
  for (let from = 0; from < payments.length; from += OUTPUTS_PER_PAYMENT) {
    const outputs = payments.slice(from, from + OUTPUTS_PER_PAYMENT).map(({ options }) => ({
      address: options[coin].address,
      amountAtoms: toAtoms(options[coin].amount),
    }));
    await node.payMany(outputs);
    await node.mine(1);
  }
}

/** Open refund links for the whole of some payments; the atoms that they promise. */
async function promise(
  { node, shop }: World,
  coin: NodeCoin,
  payments: readonly PaymentJson[],
): Promise<bigint> {
  await payAll(node, coin, payments);
  let promised = 0n;
  for (const { id, options } of payments) {
    await complete({ node, shop }, id);
    const body = { paymentId: id, preset: 'all', deductFee: true };
    await shop.api.must('POST', '/payment/refund-link', { token: shop.secretKey, body });
    promised += parseCoinAmount(options[coin].amount, coin);
  }
  return promised;
}

async function complete({ node, shop }: Pick<World, 'node' | 'shop'>, id: string): Promise<void> {
  await eventually(
    'the payment is completed',
    async () => {
      await node.mine(1);
      return (await shop.payment(id)).status;
    },
    (status) => status === 'completed',
    LIMIT_MS,
  );
}

/** Mines until the wallet holds only what stays, and collects the forwards. */
async function settleWave(
  { node, till, shop }: World,
  coin: NodeCoin,
  of: { readonly view: () => Promise<ForwardJson>; readonly sendIds: Set<string>; readonly kept: bigint },
): Promise<void> {
  const { view, sendIds, kept } = of;
  await eventually(
    'only the kept amount remains',
    async () => {
      await node.mine(1);
      const { status, problem, lastSendId } = await view();
      if (lastSendId !== null) sendIds.add(lastSendId);
      if (status === 'interval') till.clock.advance(MINUTE_MS);
      return { balance: parseCoinAmount(await shop.balance(coin), coin), status, problem };
    },
    ({ balance, status }) => balance === kept && status !== 'in_flight',
    LIMIT_MS,
  );
}

interface SendWithBudget extends SendJson {
  readonly maxFee: string;
}

/** What the API says about the forwards, against the blocks. */
async function compareSends(
  shop: World['shop'],
  coin: NodeCoin,
  chain: Pick<ChainAudit, 'spends'> & { readonly sendIds: ReadonlySet<string> },
): Promise<void> {
  for (const sendId of chain.sendIds) {
    const path = `/merchant/wallet/send-status?sendId=${sendId}`;
    const send = await shop.api.must<SendWithBudget>('GET', path, { token: shop.secretKey });
    expect(send.status).toBe('confirmed');
    const spend = chain.spends.find(({ txid }) => txid === send.txHash);
    const [amount, fee, budget] = [send.amount, send.fee, send.maxFee].map((text) =>
      parseCoinAmount(text, coin),
    ) as [bigint, bigint, bigint];
    expect(spend?.fee).toBe(fee);
    expect([...(spend?.paid ?? [])]).toEqual([[send.destination, amount]]);
    expect(fee).toBeLessThanOrEqual(budget);
    // TILLD_FORWARD_FEE_SHARE is 1 % of what leaves the wallet.
    expect(budget * 100n).toBeLessThanOrEqual(amount + fee);
  }
}
