/** A shop on a Solana node whose deposits are gathered at its address and forwarded to cold storage. */
import { expect } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { PaymentJson, SendJson, Shop } from '../../_helpers/api-client.ts';
import { openLiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { LedgerTransaction } from '../../_helpers/svm/ledger.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { addressOf, balanceOf, due, EXPIRY, SETTLED } from '../../_helpers/svm/world.ts';
import { sum } from './chain-audit.ts';

const KEEP = '0.25';
const THRESHOLD = '0.01';
/** Transfers that fit into one transaction. */
const PER_TRANSACTION = 10;
/** Accounts that one transaction draws on. */
const PER_SEND = 9n;
const SIGNATURE_FEE = 5_000n;
const BLOCK_MS = 400;
const BLOCKS_PER_LOOK = 4;
const KEPT_BLOCKS = 1_000;
const MINUTE_MS = 60_000;
const LIMIT_MS = 2_400_000;
const LINKS = 2;
/** A gathering and a forward. */
const LOST = 2;

export interface GatheredFigures {
  readonly sweeps: number;
  readonly forwards: number;
  /** Lamports. */
  readonly fees: bigint;
}

interface ForwardJson {
  readonly status: string;
  readonly problem: string | null;
  readonly lastSendId: string | null;
}

interface Money {
  readonly payments: readonly PaymentJson[];
  readonly cold: string;
  /** What stays, lamports. */
  readonly kept: bigint;
  readonly sendIds: ReadonlySet<string>;
}

/**
 * Pays so many payments, gathers and forwards them, and compares every lamport with the node.
 * @param options.loses the node loses the first transactions that it is sent, until they have expired
 */
export async function gatherAndForward(
  count: number,
  { loses = false }: { readonly loses?: boolean } = {},
): Promise<GatheredFigures> {
  const time = { now: Date.now };
  // An expiry is proven by the history.
  const kept = loses ? {} : { keptBlocks: KEPT_BLOCKS };
  const start = async () => SvmNode.start({ ...kept, now: () => time.now() });
  const env = { TILLD_FORWARD_DELAY: '0s', TILLD_POLL_INTERVAL: '500ms' };
  await using world = await openLiveWorld('SOL', { env, node: start });
  const { node, shop, till } = world;
  time.now = () => till.clock.now();
  const pass = (blocks: number): void => {
    till.clock.advance(blocks * BLOCK_MS);
    node.advance(blocks);
  };
  const losing = loses ? new LosingNode(node, pass) : null;
  const payments = await payAll(node, shop, count);
  const promised = await promise(shop, payments.slice(0, LINKS), () => pass(SETTLED));
  await eventually(
    'the last payment is completed',
    async () => (await shop.payment(payments.at(-1)?.id ?? '')).status,
    (status) => status === 'completed',
    LIMIT_MS,
  );
  const cold = strangerAddress();
  const rule = { coin: 'SOL', destination: cold, keep: KEEP, threshold: THRESHOLD, intervalMinutes: 1 };
  await shop.api.must('PATCH', '/merchant/wallet/forward', {
    token: shop.token,
    body: { merchantId: shop.merchantId, ...rule },
  });
  const least = parseCoinAmount(KEEP, 'SOL') + promised;
  const most = least + parseCoinAmount(THRESHOLD, 'SOL');
  const sendIds = new Set<string>();
  const left = (): bigint =>
    sum(
      [shop.wallets.SOL, ...payments.map(addressOf)].map((address) => node.ledger.machine.lamports(address)),
    );
  await eventually(
    'only the kept amount remains',
    async () => {
      pass(BLOCKS_PER_LOOK);
      losing?.look();
      const { status, problem, lastSendId } = await viewForward(shop);
      if (lastSendId !== null) sendIds.add(lastSendId);
      if (status === 'interval') till.clock.advance(MINUTE_MS);
      return { status, problem, left: left(), balance: await balanceOf(shop) };
    },
    ({ status, left: held, balance }) => held < most && balance === held && status !== 'in_flight',
    LIMIT_MS,
  );
  expect(left()).toBeGreaterThanOrEqual(least);
  losing?.expectReplaced();
  return await compare(node, shop, { payments, cold, kept: left(), sendIds });
}

/** A node that loses what it is sent, until two transactions have expired; then they turn up, too late. */
class LosingNode {
  readonly #node: SvmNode;
  readonly #pass: (blocks: number) => void;
  #lost: ReadonlySet<string> = new Set();

  constructor(node: SvmNode, pass: (blocks: number) => void) {
    this.#node = node;
    this.#pass = pass;
    node.dropNext(Number.MAX_SAFE_INTEGER);
  }

  look(): void {
    const dropped = new Set(this.#node.dropped.map(({ signature }) => signature));
    if (this.#lost.size > 0 || dropped.size < LOST) return;
    this.#lost = dropped;
    this.#pass(EXPIRY);
    this.#node.dropNext(0);
    this.#node.landDropped();
  }

  /** Others did what the lost transactions were for. */
  expectReplaced(): void {
    expect(this.#lost.size).toBeGreaterThanOrEqual(LOST);
    const landed = [...this.#lost].filter(
      (signature) => this.#node.ledger.transaction(signature) !== undefined,
    );
    expect(landed).toEqual([]);
  }
}

async function viewForward(shop: Shop): Promise<ForwardJson> {
  const { forwards } = await shop.api.must<{ forwards: ForwardJson[] }>('GET', '/merchant/wallet/forward', {
    token: shop.secretKey,
  });
  const [found] = forwards;
  if (found === undefined) throw new Error('the shop has no rule');
  return found;
}

/** Payments that are each paid their quoted amount. */
async function payAll(node: SvmNode, shop: Shop, count: number): Promise<PaymentJson[]> {
  const payer = new Payer(node);
  const payments: PaymentJson[] = [];
  for (let made = 0; made < count; made += 1) {
    const cents = (20 + (made % 41)) * 100 + ((made * 37) % 100);
    payments.push(await shop.createPayment({ amount: (cents / 100).toFixed(2), allowedCryptos: ['SOL'] }));
  }
  for (let at = 0; at < payments.length; at += PER_TRANSACTION) {
    const paid = payments.slice(at, at + PER_TRANSACTION);
    payer.pay(paid.map((payment) => ({ address: addressOf(payment), amount: due(payment) })));
    node.advance();
  }
  return payments;
}

/** Open refund links for the whole of some payments; the lamports that they promise. */
async function promise(shop: Shop, payments: readonly PaymentJson[], pass: () => void): Promise<bigint> {
  for (const { id } of payments) {
    await eventually(
      'the payment is completed',
      async () => {
        pass();
        return (await shop.payment(id)).status;
      },
      (status) => status === 'completed',
      LIMIT_MS,
    );
    const body = { paymentId: id, preset: 'all', deductFee: true };
    await shop.api.must('POST', '/payment/refund-link', { token: shop.secretKey, body });
  }
  return sum(payments.map(due));
}

async function compare(
  node: SvmNode,
  shop: Shop,
  { payments, cold, kept, sendIds }: Money,
): Promise<GatheredFigures> {
  const { ledger } = node;
  const total = sum(payments.map(due));
  const addresses = [shop.wallets.SOL, ...payments.map(addressOf)];
  expect(new Set(addresses).size).toBe(payments.length + 1);
  const own = new Set(addresses);
  const spends = new Map<string, LedgerTransaction>();
  for (const address of addresses)
    for (const transaction of ledger.transactionsOf(address))
      if (own.has(transaction.wire.staticKeys[0] ?? '')) spends.set(transaction.wire.signature, transaction);
  // Each deposit was paid once, and left once as a whole or stayed.
  for (const payment of payments) {
    const address = addressOf(payment);
    const [paid, ...spent] = ledger.transactionsOf(address);
    expect(paid === undefined ? null : moved(paid, address)).toBe(due(payment));
    expect(spent.map((transaction) => moved(transaction, address))).toEqual(
      ledger.machine.lamports(address) === 0n ? [-due(payment)] : [],
    );
  }
  const fees = [...spends.values()].map(({ fee }) => fee);
  const forwarded = ledger.machine.lamports(cold);
  expect(forwarded + kept + sum(fees)).toBe(total);
  for (const { err, fee, preBalances, wire } of spends.values()) {
    expect(err).toBeNull();
    const signers = wire.message.header.numRequiredSignatures;
    expect(signers).toBeLessThanOrEqual(Number(PER_SEND));
    expect(fee).toBeGreaterThanOrEqual(SIGNATURE_FEE * BigInt(signers));
    // A gathering costs at most a twentieth of what it moves.
    expect(fee * 20n).toBeLessThanOrEqual(sum(preBalances));
  }
  const forwards = ledger.transactionsOf(cold);
  expect(forwards.map(({ wire }) => wire.signature).filter((signature) => !spends.has(signature))).toEqual(
    [],
  );
  await compareSends(shop, { cold, forwards, sendIds });
  expect(await shop.balance('SOL')).toBe(formatCoinAmount(kept, 'SOL'));
  return { sweeps: spends.size - forwards.length, forwards: forwards.length, fees: sum(fees) };
}

/** What a transaction changed at an address, lamports. */
function moved({ wire, preBalances, postBalances }: LedgerTransaction, address: string): bigint {
  const at = wire.keys.indexOf(address);
  return (postBalances[at] ?? 0n) - (preBalances[at] ?? 0n);
}

/** What the API says about the forwards, against the ledger. */
async function compareSends(
  shop: Shop,
  of: Pick<Money, 'cold' | 'sendIds'> & { readonly forwards: readonly LedgerTransaction[] },
): Promise<void> {
  const { cold, sendIds } = of;
  expect(of.forwards.length).toBe(sendIds.size);
  const forwards = new Map(of.forwards.map((transaction) => [transaction.wire.signature, transaction]));
  for (const sendId of sendIds) {
    const send = await shop.api.must<SendJson & { readonly maxFee: string }>(
      'GET',
      `/merchant/wallet/send-status?sendId=${sendId}`,
      { token: shop.secretKey },
    );
    const transaction = forwards.get(send.txHash);
    if (transaction === undefined) throw new Error(`no block has the forward ${sendId}`);
    const { fee } = transaction;
    const amount = moved(transaction, cold);
    expect(send).toMatchObject({
      status: 'confirmed',
      destination: cold,
      amount: formatCoinAmount(amount, 'SOL'),
      fee: formatCoinAmount(fee, 'SOL'),
    });
    const budget = parseCoinAmount(send.maxFee, 'SOL');
    expect(fee).toBeLessThanOrEqual(budget);
    // TILLD_FORWARD_FEE_SHARE is 1 % of what leaves the wallet.
    expect(budget * 100n).toBeLessThanOrEqual(amount + fee);
  }
}
