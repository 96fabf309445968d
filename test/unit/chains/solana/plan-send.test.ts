import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TRANSACTION_BYTES, transactionSize } from '../../../../src/chains/solana/message.ts';
import { planRenewal, planSend } from '../../../../src/chains/solana/plan-send.ts';
import { messageOf } from '../../../../src/chains/solana/sign-send.ts';
import { SOLANA_ACCOUNTS_PER_SEND } from '../../../../src/domain/accounts.ts';
import {
  type Fund,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../../src/domain/chain.ts';
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

/** Balances after the transfers and the fee, of everybody involved. */
function played(plan: SendPlan): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  const add = (address: string, amount: bigint): void =>
    void balances.set(address, (balances.get(address) ?? 0n) + amount);
  for (const { address, amount } of plan.inputs) add(address, amount);
  const message = messageOf(plan);
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

describe('a plan', () => {
  it('moves what it says: the destination gets the amount, deposits end at 0, no account in the gap below the rent minimum', () => {
    fc.assert(
      fc.property(wishes, ({ wallet, deposits, amount, subtractFee, rate }) => {
        const own = deposits.flatMap((amounts, at) => amounts.map((each) => [DEPOSITS[at]!, each] as const));
        const all = wallet === null ? own : [[WALLET, wallet] as const, ...own];
        const funds = all.map(([address, each], index) => fund(address, each, index));
        const quote = { rate, source: 'test', at: 0, lifetime: LIFETIME };
        let plan: SendPlan;
        try {
          plan = planSend(request({ funds, amount, subtractFee, quote }), RENT);
        } catch (error) {
          expect([InsufficientFunds, UnsendableAmount].some((kind) => error instanceof kind)).toBe(true);
          return;
        }
        expect(plan.amount).toBe(subtractFee ? amount - plan.fee : amount);
        const balances = played(plan);
        expect(balances.get(DESTINATION)).toBe(plan.amount);
        expect(balances.get(WALLET) ?? 0n).toBe(plan.change?.amount ?? 0n);
        expect(plan.change?.amount ?? RENT).toBeGreaterThanOrEqual(RENT);
        for (const deposit of DEPOSITS) expect(balances.get(deposit) ?? 0n).toBe(0n);
        const drawn = new Set(plan.inputs.map(({ address }) => address));
        const whole = funds.filter(({ address }) => drawn.has(address));
        expect(plan.inputs).toHaveLength(whole.length);
        expect(transactionSize(messageOf(plan))).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
      }),
    );
  });

  it('of the most accounts fits into one transaction', () => {
    const funds = [WALLET, ...DEPOSITS].map((address, index) => fund(address, 1_000_000_000n, index));
    const amount = BigInt(SOLANA_ACCOUNTS_PER_SEND - 1) * 1_000_000_000n + 500_000_000n;
    const plan = planSend(request({ funds, amount }), RENT);
    expect(new Set(plan.inputs.map(({ address }) => address)).size).toBe(SOLANA_ACCOUNTS_PER_SEND);
    expect(transactionSize(messageOf(plan))).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
  });

  it('takes another deposit rather than strand change below the rent minimum', () => {
    const funds = [fund(DEPOSITS[0]!, 1_000_500_000n, 0), fund(DEPOSITS[1]!, 900_000_000n, 1)];
    const plan = planSend(request({ funds }), RENT);
    expect(plan.inputs).toHaveLength(2);
    expect(() => planSend(request({ funds: funds.slice(0, 1) }), RENT)).toThrow(UnsendableAmount);
  });

  it('is renewed only once the chain is finally past its date, and pays the same', () => {
    const plan = planSend(request({ funds: [fund(WALLET, 2_000_000_000n, 0)] }), RENT);
    const later = (finalizedHeight: number) => ({
      ...request({}).quote,
      lifetime: { blockhash: strangerAddress(), lastValidHeight: 400, finalizedHeight },
    });
    expect(planRenewal(plan, later(150))).toBeNull();
    const renewed = planRenewal(plan, later(151));
    expect(renewed).toMatchObject({ amount: plan.amount, fee: plan.fee, destination: plan.destination });
    expect(renewed?.inputs).toEqual(plan.inputs);
    expect(renewed?.lifetime?.lastValidHeight).toBe(400);
  });
});
