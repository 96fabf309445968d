import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planReplacement, planSend } from '../../../../src/chains/ethereum/sends/plan-send.ts';
import {
  InsufficientFunds,
  type FeeQuote,
  type Fund,
  type SendRequest,
} from '../../../../src/domain/chain.ts';

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const PRICE = 20_000_000_000_000n;
const FEE = 420_000_000_000_000n;
const CAP = 200_000_000_000_000n;

const fund = (index: number, amount: bigint, address = FROM): Fund => ({
  ref: { txid: 't', index },
  amount,
  address,
  keyPath: { coin: 'ETH', mode: 'live', account: 0, branch: 0, index: 0 },
});
const quote = (rate = PRICE, nonce = 5): FeeQuote => ({
  rate,
  source: 'node',
  at: 0,
  account: { chainId: 1, nonce, gasLimit: 21_000n },
});
const request = (wish: Partial<SendRequest> = {}): SendRequest => ({
  funds: [fund(0, 10n ** 18n)],
  destination: OTHER,
  amount: 10n ** 17n,
  subtractFee: false,
  changeAddress: FROM,
  quote: quote(),
  ...wish,
});

const taken = (...nonces: number[]) => ({ usedNonces: new Set(nonces), committed: 0n });

describe('planSend for Ether', () => {
  it('uses the first nonce that neither the node nor another send uses', () => {
    expect(planSend(request()).account?.nonce).toBe(5);
    expect(planSend(request({ nonceSequence: taken(5, 6, 8) })).account?.nonce).toBe(7);
    // The gap that a refused send left is filled first: whatever comes after waits for it.
    expect(planSend(request({ nonceSequence: taken(6) })).account?.nonce).toBe(5);
  });

  it('does not spend funds that other open sends need', () => {
    const lane = { usedNonces: new Set<number>(), committed: 10n ** 18n - 10n ** 17n - FEE };
    expect(planSend(request({ nonceSequence: lane })).amount).toBe(10n ** 17n);
    const more = { ...lane, committed: lane.committed + 1n };
    expect(() => planSend(request({ nonceSequence: more }))).toThrow(InsufficientFunds);
  });

  it('spends from the sender account only', () => {
    const funds = [fund(0, 10n ** 17n), fund(1, 10n ** 18n, OTHER)];
    expect(() => planSend(request({ funds }))).toThrow(InsufficientFunds);
  });

  it('leaves a balance of exactly zero when it sends the whole balance less the fee', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: FEE + 1n, max: 10n ** 21n }), (amount) => {
        const plan = planSend(request({ funds: [fund(0, amount)], amount, subtractFee: true }));
        expect(plan.amount + plan.fee).toBe(amount);
        expect(plan.change).toBeNull();
      }),
    );
  });
});

describe('planReplacement for Ether', () => {
  const previous = planSend(request());
  const ask = { previous, funds: [fund(0, 10n ** 18n)], changeAddress: FROM, capRate: CAP };

  it('raises the fee by at least an eighth, with the same nonce, destination and amount', () => {
    const bump = planReplacement({ ...ask, quote: quote(PRICE + 1n) });
    expect(bump?.account).toEqual(previous.account);
    expect(bump).toMatchObject({ destination: OTHER, amount: previous.amount });
    expect((bump?.feeRate ?? 0n) * 8n).toBeGreaterThanOrEqual(previous.feeRate * 9n);
  });

  it('pays the current network fee when that is higher, up to the cap', () => {
    expect(planReplacement({ ...ask, quote: quote(3n * PRICE) })?.fee).toBe(3n * FEE);
    expect(planReplacement({ ...ask, quote: quote(CAP + 1_000n) })).toBeNull();
  });

  it('spends at most the current balance less what other sends of the account need', () => {
    const lane = { usedNonces: new Set<number>(), committed: 10n ** 18n - 10n ** 17n - 2n * FEE };
    expect(planReplacement({ ...ask, quote: quote(2n * PRICE), nonceSequence: lane })?.fee).toBe(2n * FEE);
    expect(planReplacement({ ...ask, quote: quote(3n * PRICE), nonceSequence: lane })).toBeNull();
  });

  it('deducts the higher fee from the amount of a transfer between addresses of the wallet', () => {
    const amount = 10n ** 18n;
    const sweep = planSend(request({ amount, subtractFee: true }));
    const lane = { usedNonces: new Set<number>(), committed: 0n };
    const raised = { ...ask, previous: sweep, quote: quote(2n * PRICE), nonceSequence: lane };
    expect(planReplacement(raised)).toBeNull();
    const bump = planReplacement({ ...raised, fromAmount: true });
    expect((bump?.amount ?? 0n) + (bump?.fee ?? 0n)).toBe(amount);
  });
});
