import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TRANSACTION_BYTES, transactionSize } from '../../../../src/chains/solana/sends/message.ts';
import { planRenewal, planSend } from '../../../../src/chains/solana/sends/plan-send.ts';
import { buildMessage } from '../../../../src/chains/solana/sends/sign-send.ts';
import { SOLANA } from '../../../../src/domain/coins/solana.ts';
import {
  type Fund,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../../src/domain/chain.ts';
import { leavingEnough } from '../../../../src/domain/send/forward.ts';
import { strangerAddress } from '../../../_helpers/svm/payer.ts';

const RENT = 890_880n;
const WALLET = strangerAddress();
const DEPOSITS = Array.from({ length: 12 }, strangerAddress);
const DESTINATION = strangerAddress();
const LIFETIME = { blockhash: strangerAddress(), lastValidHeight: 150, finalizedHeight: 10 };

function fund(address: string, amount: bigint, index: number): Fund {
  const keyPath = { coin: 'SOL', mode: 'live', account: 0, branch: 0, index } as const;
  return { ref: { txid: `tx${index}`, index: 0 }, amount, address, keyPath };
}

function request(wish: Partial<SendRequest>): SendRequest {
  return {
    funds: [],
    destination: DESTINATION,
    amount: 1_000_000_000n,
    subtractFee: false,
    changeAddress: WALLET,
    quote: { rate: 1n, source: 'test', at: 0, lifetime: LIFETIME },
    ...wish,
  };
}

/** Balances after the transfers and the fee, of all accounts involved. */
function played(plan: SendPlan): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  const add = (address: string, amount: bigint): void =>
    void balances.set(address, (balances.get(address) ?? 0n) + amount);
  for (const { address, amount } of plan.inputs) add(address, amount);
  const message = buildMessage(plan);
  add(message.feePayer, -plan.fee);
  for (const { from, to, lamports } of message.transfers) {
    add(from, -lamports);
    add(to, lamports);
  }
  return balances;
}

const wishes = fc.record({
  wallet: fc.option(fc.bigInt(RENT, 10n ** 10n), { nil: null }),
  deposits: fc.array(fc.array(fc.bigInt(1n, 10n ** 10n), { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
  amount: fc.bigInt(1n, 5n * 10n ** 10n),
  subtractFee: fc.boolean(),
  rate: fc.bigInt(1n, 5_000n),
});

type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never;

function fundsOf({ wallet, deposits }: Wish): Fund[] {
  const own = deposits.flatMap((amounts, at) => amounts.map((each) => [DEPOSITS[at]!, each] as const));
  const all = wallet === null ? own : [[WALLET, wallet] as const, ...own];
  return all.map(([address, each], index) => fund(address, each, index));
}

/** Null when the wish cannot be planned. */
function planned(wish: Wish): SendPlan | null {
  const { amount, subtractFee, rate } = wish;
  const quote = { rate, source: 'test', at: 0, lifetime: LIFETIME };
  try {
    return planSend(request({ funds: fundsOf(wish), amount, subtractFee, quote }), RENT);
  } catch (error) {
    expect([InsufficientFunds, UnsendableAmount].some((kind) => error instanceof kind)).toBe(true);
    return null;
  }
}

describe('planSend and planRenewal on Solana', () => {
  it('pay the full amount, empty the deposit accounts and leave no account between zero and the rent minimum', () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const { amount, subtractFee } = wish;
        const funds = fundsOf(wish);
        const plan = planned(wish);
        if (plan === null) return;
        expect(plan.amount).toBe(subtractFee ? amount - plan.fee : amount);
        const balances = played(plan);
        expect(balances.get(DESTINATION)).toBe(plan.amount);
        expect(balances.get(WALLET) ?? 0n).toBe(plan.change?.amount ?? 0n);
        expect(plan.change?.amount ?? RENT).toBeGreaterThanOrEqual(RENT);
        for (const deposit of DEPOSITS) expect(balances.get(deposit) ?? 0n).toBe(0n);
        const drawn = new Set(plan.inputs.map(({ address }) => address));
        const whole = funds.filter(({ address }) => drawn.has(address));
        expect(plan.inputs).toHaveLength(whole.length);
        expect(transactionSize(buildMessage(plan))).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
      }),
    );
  });

  it('fit into one transaction with the maximum number of accounts', () => {
    const funds = [WALLET, ...DEPOSITS].map((address, index) => fund(address, 1_000_000_000n, index));
    const amount = BigInt(SOLANA.accountsPerSend - 1) * 1_000_000_000n + 500_000_000n;
    const plan = planSend(request({ funds, amount }), RENT);
    expect(new Set(plan.inputs.map(({ address }) => address)).size).toBe(SOLANA.accountsPerSend);
    expect(transactionSize(buildMessage(plan))).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
  });

  it('spend one more deposit account to avoid change below the rent minimum', () => {
    const funds = [fund(DEPOSITS[0]!, 1_000_500_000n, 0), fund(DEPOSITS[1]!, 900_000_000n, 1)];
    const plan = planSend(request({ funds }), RENT);
    expect(plan.inputs).toHaveLength(2);
    expect(() => planSend(request({ funds: funds.slice(0, 1) }), RENT)).toThrow(UnsendableAmount);
  });

  it('accepts the remaining balance of any forward', () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const { amount: wanted, rate } = wish;
        const all = fundsOf(wish);
        const held = (address: string): bigint =>
          all.reduce((sum, one) => (one.address === address ? sum + one.amount : sum), 0n);
        const largest = DEPOSITS.toSorted((a, b) => Number(held(b) - held(a)));
        const reached = new Set(
          [WALLET, ...largest].filter((each) => held(each) > 0n).slice(0, SOLANA.accountsPerSend),
        );
        const funds = all.filter(({ address }) => reached.has(address));
        const reach = funds.reduce((sum, one) => sum + one.amount, 0n);
        const amount = leavingEnough(wanted < reach ? wanted : reach, { reach, leastLeft: RENT });
        const quote = { rate, source: 'test', at: 0, lifetime: LIFETIME };
        if (amount < RENT) return;
        const plan = planSend(request({ funds, amount, subtractFee: true, quote }), RENT);
        expect(plan.amount + plan.fee).toBe(amount);
      }),
    );
  });

  it('create a renewal, with the same payment, only after the blockhash expired at finalized commitment', () => {
    const plan = planSend(request({ funds: [fund(WALLET, 2_000_000_000n, 0)] }), RENT);
    const later = (finalizedHeight: number) => ({
      ...request({}).quote,
      lifetime: { blockhash: strangerAddress(), lastValidHeight: 400, finalizedHeight },
    });
    const terms = { subtractFee: false, feeLimit: plan.amount, capRate: 5_000n, rentExemptMinimum: RENT };
    expect(planRenewal(plan, later(150), terms)).toBeNull();
    const renewed = planRenewal(plan, later(151), terms);
    expect(renewed).toMatchObject({ amount: plan.amount, destination: plan.destination });
    expect(renewed?.inputs).toEqual(plan.inputs);
    expect(renewed?.lifetime?.lastValidHeight).toBe(400);
  });

  it('create a renewal with a higher fee up to the cap and the fee budget, deducted from the same part as before', () => {
    fc.assert(
      fc.property(wishes, fc.bigInt(1n, 10_000n), fc.bigInt(0n, 60_000n), (wish, asked, feeLimit) => {
        const { capRate, subtractFee } = { capRate: 5_000n, subtractFee: wish.subtractFee };
        const first = planned(wish);
        if (first === null) return;
        const rate = asked > capRate ? capRate : asked;
        const blockhash = DESTINATION;
        let plan = first;
        for (let renewal = 0; renewal < 14; renewal += 1) {
          const finalizedHeight = plan.lifetime!.lastValidHeight + 1;
          const lifetime = { blockhash, lastValidHeight: finalizedHeight + 150, finalizedHeight };
          const quote = { ...request({}).quote, rate, lifetime };
          const next = planRenewal(plan, quote, { subtractFee, feeLimit, capRate, rentExemptMinimum: RENT })!;
          expect(next.fee === plan.fee || next.fee <= feeLimit).toBe(true);
          expect(next.feeRate).toBeGreaterThanOrEqual(plan.feeRate);
          expect(next.feeRate).toBeLessThanOrEqual(capRate);
          expect(next.inputs).toEqual(plan.inputs);
          const total = next.inputs.reduce((sum, { amount }) => sum + amount, 0n);
          expect(next.amount + next.fee + (next.change?.amount ?? 0n)).toBe(total);
          expect(subtractFee ? next.change : next.amount).toEqual(subtractFee ? plan.change : plan.amount);
          const left = [...played(next)].filter(([address]) => address !== DESTINATION);
          expect(left.every(([, lamports]) => lamports === 0n || lamports >= RENT)).toBe(true);
          plan = next;
        }
        const isRich = subtractFee
          ? first.amount > RENT + 100_000n
          : (first.change?.amount ?? 0n) > RENT + 100_000n;
        if (isRich && first.feeRate < capRate && feeLimit >= 2n * first.fee)
          expect(plan.feeRate).toBeGreaterThan(first.feeRate);
      }),
    );
  });

  it('use a measured compute limit only for a transaction with at most as many transfers as the measured one', () => {
    const measured = { accounts: 1, transfers: 1, computeUnits: 540 };
    const quote = { ...request({}).quote, measured };
    const own = planSend(request({ funds: [fund(WALLET, 2_000_000_000n, 0)], quote }), RENT);
    expect(own.computeUnits).toBe(540);
    // A deposit pays the destination and the change.
    const deposit = planSend(request({ funds: [fund(DEPOSITS[0]!, 2_000_000_000n, 0)], quote }), RENT);
    expect(buildMessage(deposit).transfers).toHaveLength(2);
    expect(deposit.computeUnits).toBeGreaterThanOrEqual(600);
  });
});
