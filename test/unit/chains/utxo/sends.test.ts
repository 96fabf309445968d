import { RawTx } from '@scure/btc-signer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressScript } from '../../../../src/chains/utxo/address.ts';
import type { UtxoCoin } from '../../../../src/domain/coins/definition.ts';
import { UTXO_COINS, type UtxoCoinCode } from '../../../../src/domain/coins.ts';
import { planRbfBump } from '../../../../src/chains/utxo/sends/plan-rbf.ts';
import { planSend } from '../../../../src/chains/utxo/sends/plan-send.ts';
import { signSend } from '../../../../src/chains/utxo/sends/sign-send.ts';
import { dustLimit, feeFor } from '../../../../src/chains/utxo/sends/size.ts';
import {
  type FeeQuote,
  type Fund,
  InsufficientFunds,
  outputKey,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../../src/domain/chain.ts';
import { OwnKeys } from '../../../conformance/own-keys.ts';

const KEYS = { BTC: new OwnKeys('BTC', 'live', 'regtest'), LTC: new OwnKeys('LTC', 'live', 'regtest') };
const OWNED = { BTC: KEYS.BTC.newAddress(), LTC: KEYS.LTC.newAddress() };
const CHANGE = { BTC: KEYS.BTC.newAddress().address, LTC: KEYS.LTC.newAddress().address };
/** One destination of each kind of output. */
const DESTINATIONS: Readonly<Record<'BTC' | 'LTC', readonly string[]>> = {
  BTC: [
    'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc',
    'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6',
  ],
  LTC: [CHANGE.LTC, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
};

function fund(code: 'BTC' | 'LTC', at: number, amount: bigint): Fund {
  return { ...OWNED[code], ref: { txid: (at + 1).toString(16).padStart(64, '0'), index: at % 7 }, amount };
}

/** What the node asks of a replacement, atoms per 1,000 vB. */
const INCREMENT = 100n;

function quote(rate: bigint): FeeQuote {
  return { rate, increment: INCREMENT, source: 'test', at: 0 };
}

function request(code: 'BTC' | 'LTC', wish: Partial<SendRequest>): SendRequest {
  return {
    funds: [],
    destination: DESTINATIONS[code][0]!,
    amount: 100_000n,
    subtractFee: false,
    changeAddress: CHANGE[code],
    quote: quote(1_000n),
    ...wish,
  };
}

function sum(funds: readonly Fund[]): bigint {
  return funds.reduce((total, { amount }) => total + amount, 0n);
}

/** Virtual size of real bytes (BIP-141). */
function vsizeOf(raw: string): bigint {
  const decoded = RawTx.decode(Buffer.from(raw, 'hex'));
  const stripped = RawTx.encode({ ...decoded, segwitFlag: false, witnesses: undefined }).length;
  return BigInt(Math.ceil((stripped * 3 + raw.length / 2) / 4));
}

/** What must hold for every plan, however it came about. */
async function checkPlan(
  coin: UtxoCoin,
  plan: SendPlan,
  rate: bigint,
  funds: readonly Fund[],
): Promise<void> {
  expect(sum(plan.inputs)).toBe(plan.amount + plan.fee + (plan.change?.amount ?? 0n));
  const keys = plan.inputs.map(({ ref }) => outputKey(ref));
  expect(new Set(keys).size).toBe(keys.length);
  expect(plan.inputs.every((input) => funds.includes(input))).toBe(true);
  const script = addressScript(coin, 'regtest', plan.destination);
  expect(plan.amount >= dustLimit(script, coin.dustRelayRate)).toBe(true);
  if (plan.change !== null) {
    const changeScript = addressScript(coin, 'regtest', plan.change.address);
    expect(plan.change.amount >= dustLimit(changeScript, coin.dustRelayRate)).toBe(true);
  }
  const signed = await signSend(coin, 'regtest', plan, KEYS[coin.code as UtxoCoinCode]);
  const vsize = vsizeOf(signed.raw);
  expect(plan.fee >= feeFor(vsize, rate)).toBe(true);
  // Never more than the rate for the worst case, plus what was too little for a change output.
  const changeCost =
    feeFor(31n, rate) +
    dustLimit(addressScript(coin, 'regtest', CHANGE[coin.code as UtxoCoinCode]), coin.dustRelayRate);
  const worst = feeFor(vsize + BigInt(plan.inputs.length), rate);
  expect(plan.fee <= worst + (plan.change === null ? changeCost : 0n)).toBe(true);
}

async function checkBump(
  coin: UtxoCoin,
  previous: SendPlan,
  bump: SendPlan,
  rate: bigint,
  funds: readonly Fund[],
): Promise<void> {
  expect(sum(bump.inputs)).toBe(bump.amount + bump.fee + (bump.change?.amount ?? 0n));
  expect(bump.inputs.every((input) => funds.includes(input))).toBe(true);
  const { raw: oldRaw } = await signSend(coin, 'regtest', previous, KEYS.BTC);
  const { raw: newRaw } = await signSend(coin, 'regtest', bump, KEYS.BTC);
  const [oldSize, newSize] = [vsizeOf(oldRaw), vsizeOf(newRaw)];
  expect(bump.fee >= previous.fee + feeFor(newSize, INCREMENT)).toBe(true);
  expect(bump.fee >= feeFor(newSize, rate)).toBe(true);
  expect(bump.fee * oldSize > previous.fee * newSize).toBe(true);
}

const codes = fc.constantFrom('BTC' as const, 'LTC' as const);
const rates = fc.oneof(fc.bigInt(100n, 5_000n), fc.bigInt(1_000n, 400_000n));
const amounts = fc.oneof(
  fc.bigInt(1n, 5_000n),
  fc.bigInt(1_000n, 10n ** 6n),
  fc.bigInt(10n ** 6n, 84n * 10n ** 14n),
);

describe('coin selection (planSend)', () => {
  it('spends only the largest outputs and no more than needed, among hundreds', async () => {
    const sizes = fc.array(fc.bigInt(1_000n, 1_000_000n), { minLength: 260, maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(
        codes,
        sizes,
        fc.boolean(),
        fc.integer({ min: 1, max: 999 }),
        async (code, values, subtractFee, share) => {
          const funds = values.map((amount, at) => fund(code, at, amount));
          const amount = (sum(funds) * BigInt(share)) / 1_000n;
          fc.pre(amount > 10_000n);
          const plan = planSend(UTXO_COINS[code], 'regtest', request(code, { funds, amount, subtractFee }));
          await checkPlan(UTXO_COINS[code], plan, 1_000n, funds);
          const least = plan.inputs.reduce((a, b) => (a.amount < b.amount ? a : b));
          const others = sum(plan.inputs) - least.amount;
          expect(others < amount + (subtractFee ? 0n : plan.fee)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('pays each of several recipients exactly, balances, and has no dust, or throws the matching error', async () => {
    const payees = fc.array(fc.tuple(fc.nat({ max: 3 }), amounts), { minLength: 2, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(amounts, { minLength: 1, maxLength: 12 }),
        payees,
        rates,
        fc.boolean(),
        async (values, ordered, rate, subtractFee) => {
          const coin = UTXO_COINS.BTC;
          const funds = values.map((value, at) => fund('BTC', at, value));
          const outputs = ordered.map(([kind, amount]) => ({ destination: DESTINATIONS.BTC[kind]!, amount }));
          const amount = outputs.reduce((total, one) => total + one.amount, 0n);
          const { destination } = outputs[0]!;
          const wish = { funds, destination, outputs, amount, subtractFee, quote: quote(rate) };
          let plan: SendPlan;
          try {
            plan = planSend(coin, 'regtest', request('BTC', wish));
          } catch (error) {
            if (error instanceof InsufficientFunds) expect(error.available < error.needed).toBe(true);
            else expect(error).toBeInstanceOf(UnsendableAmount);
            return;
          }
          const received = plan.outputs ?? [];
          expect(received.reduce((total, one) => total + one.amount, 0n)).toBe(plan.amount);
          if (!subtractFee) expect(received).toEqual(outputs);
          for (const [at, one] of received.entries()) {
            const script = addressScript(coin, 'regtest', one.destination);
            expect(one.amount >= dustLimit(script, coin.dustRelayRate)).toBe(true);
            expect(one.amount <= outputs[at]!.amount).toBe(true);
          }
          await checkPlan(coin, plan, rate, funds);
          const { raw } = await signSend(coin, 'regtest', plan, KEYS.BTC);
          const decoded = RawTx.decode(Buffer.from(raw, 'hex'));
          const wanted = [
            ...received,
            ...(plan.change === null
              ? []
              : [{ destination: plan.change.address, amount: plan.change.amount }]),
          ].map((one) => `${addressScript(coin, 'regtest', one.destination).toString('hex')} ${one.amount}`);
          const made = decoded.outputs.map(
            (one) => `${Buffer.from(one.script).toString('hex')} ${one.amount}`,
          );
          expect(made.toSorted()).toEqual(wanted.toSorted());
          const bump = planRbfBump(coin, 'regtest', {
            previous: plan,
            funds,
            changeAddress: CHANGE.BTC,
            quote: quote(rate * 2n),
            capRate: 10n ** 9n,
          });
          if (bump !== null) expect(bump.outputs).toEqual(plan.outputs);
        },
      ),
    );
  });

  it('creates a plan that balances exactly, pays the fee rate and has no dust, or throws the matching error', async () => {
    await fc.assert(
      fc.asyncProperty(
        codes,
        fc.array(amounts, { maxLength: 12 }),
        amounts,
        rates,
        fc.boolean(),
        fc.nat({ max: 3 }),
        async (code, values, amount, rate, subtractFee, kind) => {
          const coin = UTXO_COINS[code];
          const destination = code === 'BTC' ? DESTINATIONS.BTC[kind]! : DESTINATIONS.LTC[kind % 2]!;
          const funds = values.map((value, at) => fund(code, at, value));
          let plan: SendPlan;
          try {
            plan = planSend(
              coin,
              'regtest',
              request(code, { funds, amount, destination, subtractFee, quote: quote(rate) }),
            );
          } catch (error) {
            if (error instanceof InsufficientFunds) {
              expect(error.available < error.needed).toBe(true);
              expect(error.available <= sum(funds)).toBe(true);
              return;
            }
            expect(error).toBeInstanceOf(UnsendableAmount);
            return;
          }
          if (!subtractFee) expect(plan.amount).toBe(amount);
          else if (plan.change !== null) expect(plan.amount).toBe(amount - plan.fee);
          else expect(plan.amount <= amount && plan.amount >= amount - plan.fee).toBe(true);
          await checkPlan(coin, plan, rate, funds);
          expect(plan.inputs.every((input) => input.amount > feeFor(68n, rate))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sends the whole balance when the fee is deducted from the amount', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(50_000n, 10n ** 9n), { minLength: 1, maxLength: 10 }),
        rates,
        (values, rate) => {
          const funds = values.map((value, at) => fund('BTC', at, value));
          const usable = funds.filter(({ amount }) => amount > feeFor(68n, rate));
          fc.pre(usable.length > 0 && sum(usable) > 1_000_000n);
          const wish = request('BTC', { funds, amount: sum(usable), subtractFee: true, quote: quote(rate) });
          const plan = planSend(UTXO_COINS.BTC, 'regtest', wish);
          expect(plan.change).toBeNull();
          expect(plan.inputs).toHaveLength(usable.length);
          expect(plan.amount + plan.fee).toBe(sum(usable));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('prefers an exact match to creating change', () => {
    const funds = [fund('BTC', 0, 9_000_000n), fund('BTC', 1, 100_110n), fund('BTC', 2, 5_000_000n)];
    const plan = planSend(UTXO_COINS.BTC, 'regtest', request('BTC', { funds }));
    expect(plan.inputs).toEqual([funds[1]]);
    expect(plan.change).toBeNull();
    expect(plan.fee).toBe(110n);
  });

  it('prefers few large outputs to many small ones', () => {
    const funds = [
      ...Array.from({ length: 50 }, (_none, at) => fund('BTC', at, 10_000n)),
      fund('BTC', 50, 900_000n),
    ];
    const plan = planSend(UTXO_COINS.BTC, 'regtest', request('BTC', { funds, amount: 300_000n }));
    expect(plan.inputs).toEqual([funds[50]]);
  });

  it('creates change from the dust limit on, and leaves a smaller remainder as fee', () => {
    // Two outputs of P2WPKH cost 141 vB here, one 110.
    const funds = [fund('BTC', 0, 1_000_000n)];
    const wish = (rest: bigint) => request('BTC', { funds, amount: 1_000_000n - rest });
    const kept = planSend(UTXO_COINS.BTC, 'regtest', wish(141n + 294n));
    expect([kept.change?.amount, kept.fee]).toEqual([294n, 141n]);
    const dropped = planSend(UTXO_COINS.BTC, 'regtest', wish(141n + 293n));
    expect([dropped.change, dropped.fee]).toEqual([null, 141n + 293n]);
  });

  it('never spends outputs that cost more than their value, even to send everything', () => {
    const funds = [fund('BTC', 0, 500_000n), fund('BTC', 1, 6_800n), fund('BTC', 2, 6_801n)];
    const wish = { funds, subtractFee: true, quote: quote(100_000n) };
    const all = request('BTC', { ...wish, amount: 513_601n });
    expect(() => planSend(UTXO_COINS.BTC, 'regtest', all)).toThrow('available 506801, needed 513601');
    const usable = planSend(UTXO_COINS.BTC, 'regtest', request('BTC', { ...wish, amount: 506_801n }));
    expect(usable.inputs).toEqual([funds[0], funds[2]]);
  });

  it('spends as many outputs as fit into the largest standard transaction, and reports the maximum amount', async () => {
    const funds = Array.from({ length: 1_500 }, (_none, at) => fund('BTC', at, 10_000n));
    const attempt = () => planSend(UTXO_COINS.BTC, 'regtest', request('BTC', { funds, amount: 15_000_000n }));
    expect(attempt).toThrow(InsufficientFunds);
    expect(attempt).toThrow(/available 14690000,/);
    const most = request('BTC', { funds, amount: 14_690_000n, subtractFee: true });
    const plan = planSend(UTXO_COINS.BTC, 'regtest', most);
    expect(plan.inputs).toHaveLength(1_469);
    const vsize = vsizeOf((await signSend(UTXO_COINS.BTC, 'regtest', plan, KEYS.BTC)).raw);
    expect(vsize <= 100_000n).toBe(true);
    expect(vsize > 98_000n).toBe(true);
  });

  it('limits unconfirmed ancestors to the package limits of nodes', () => {
    const funds = Array.from({ length: 1_500 }, (_none, at) => fund('BTC', at, 10_000n));
    const change = fund('BTC', 1_500, 20_000n);
    const ancestry = new Map([
      [outputKey(change.ref), [{ txid: 'ff'.repeat(32), fee: 30_000n, size: 30_000n }]],
    ]);
    const wish = { funds: [...funds, change], ancestry, amount: 10_000_000n };
    const plan = planSend(UTXO_COINS.BTC, 'regtest', request('BTC', wish));
    const attempt = () =>
      planSend(UTXO_COINS.BTC, 'regtest', request('BTC', { ...wish, amount: 11_000_000n }));
    expect(plan.inputs.length).toBeLessThanOrEqual(1_042);
    expect(attempt).toThrow(InsufficientFunds);
  });

  it('reports the smallest allowed amount when the requested one is dust for the destination', () => {
    const small = request('BTC', { funds: [fund('BTC', 0, 10n ** 8n)], amount: 293n });
    expect(() => planSend(UTXO_COINS.BTC, 'regtest', small)).toThrow(/smallest amount .* 0\.00000294 BTC/);
    const eaten = request('BTC', { ...small, amount: 30_000n, subtractFee: true, quote: quote(400_000n) });
    expect(() => planSend(UTXO_COINS.BTC, 'regtest', eaten)).toThrow(UnsendableAmount);
  });

  it('refuses an address of another chain', () => {
    const wish = request('BTC', { funds: [fund('BTC', 0, 10n ** 8n)], destination: CHANGE.LTC });
    expect(() => planSend(UTXO_COINS.BTC, 'regtest', wish)).toThrow(/is a Litecoin regtest address/);
  });
});

describe('signSend', () => {
  const plan = planSend(
    UTXO_COINS.BTC,
    'regtest',
    request('BTC', { funds: [3, 1, 2].map((at) => fund('BTC', at, 60_000n)), amount: 150_000n }),
  );

  it('returns the same bytes every time, in BIP-69 order and replaceable (RBF)', async () => {
    const signed = await signSend(UTXO_COINS.BTC, 'regtest', plan, KEYS.BTC);
    const shuffled = { ...plan, inputs: plan.inputs.toReversed() };
    expect(await signSend(UTXO_COINS.BTC, 'regtest', shuffled, KEYS.BTC)).toEqual(signed);
    const raw = RawTx.decode(Buffer.from(signed.raw, 'hex'));
    const txids = raw.inputs.map(({ txid }) => Buffer.from(txid).toString('hex'));
    expect(txids).toEqual([...txids].sort());
    const paid = raw.outputs.map(({ amount }) => amount);
    expect(paid).toEqual([plan.change!.amount, plan.amount].sort((a, b) => Number(a - b)));
    expect(raw.inputs.every(({ sequence }) => sequence === 0xfffffffd)).toBe(true);
  });

  it('lets other work go on between the signatures of many inputs', async () => {
    const funds = Array.from({ length: 100 }, (_none, at) => fund('BTC', at, 10_000n));
    const many = request('BTC', { funds, amount: 1_000_000n, subtractFee: true });
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await signSend(UTXO_COINS.BTC, 'regtest', planSend(UTXO_COINS.BTC, 'regtest', many), KEYS.BTC);
    clearImmediate(next);
    expect(rounds).toBeGreaterThanOrEqual(9);
  });

  it('refuses a plan that does not add up, and a key that does not match', async () => {
    await expect(
      signSend(UTXO_COINS.BTC, 'regtest', { ...plan, fee: plan.fee - 1n }, KEYS.BTC),
    ).rejects.toThrow(/inputs and outputs/);
    const wrong = plan.inputs.map((input) => ({ ...input, keyPath: { ...input.keyPath, index: 1 } }));
    await expect(signSend(UTXO_COINS.BTC, 'regtest', { ...plan, inputs: wrong }, KEYS.BTC)).rejects.toThrow(
      /does not belong/,
    );
  });
});

describe('planRbfBump (RBF)', () => {
  it('keeps inputs and payment, and pays the fee that BIP-125 and the quote require', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt(1_000n, 10n ** 7n), { minLength: 1, maxLength: 5 }),
        fc.array(fc.bigInt(1_000n, 10n ** 7n), { maxLength: 5 }),
        fc.bigInt(300n, 10n ** 7n),
        fc.tuple(rates, rates),
        async (values, moreValues, amount, [rate, newRate]) => {
          const coin = UTXO_COINS.BTC;
          const funds = values.map((value, at) => fund('BTC', at, value));
          const more = moreValues.map((value, at) => fund('BTC', at + 100, value));
          let previous: SendPlan;
          try {
            previous = planSend(coin, 'regtest', request('BTC', { funds, amount, quote: quote(rate) }));
          } catch {
            return;
          }
          const bump = planRbfBump(coin, 'regtest', {
            previous,
            funds: [...funds, ...more],
            changeAddress: CHANGE.BTC,
            quote: quote(newRate),
            capRate: coin.feeCapRate,
          });
          if (bump === null) return;
          expect(newRate > previous.feeRate).toBe(true);
          expect([bump.destination, bump.amount]).toEqual([previous.destination, previous.amount]);
          expect(bump.inputs.slice(0, previous.inputs.length)).toEqual(previous.inputs);
          await checkBump(coin, previous, bump, newRate, [...funds, ...more]);
        },
      ),
      { numRuns: 300, examples: [[[6735451n, 9136577n], [], 9375019n, [399991n, 399996n]]] },
    );
  });

  it('adds inputs when the change is too small, and returns nothing when no funds remain', () => {
    const coin = UTXO_COINS.BTC;
    const funds = [fund('BTC', 0, 100_400n)];
    const previous = planSend(coin, 'regtest', request('BTC', { funds }));
    const wish = { previous, changeAddress: CHANGE.BTC, quote: quote(20_000n), capRate: coin.feeCapRate };
    expect(planRbfBump(coin, 'regtest', { ...wish, funds })).toBeNull();
    const bump = planRbfBump(coin, 'regtest', { ...wish, funds: [...funds, fund('BTC', 1, 50_000n)] });
    expect(bump?.inputs).toHaveLength(2);
    expect(bump?.feeRate).toBe(20_000n);
  });

  it('raises the fee rate by at least the relay increment, also when it adds inputs', () => {
    const coin = UTXO_COINS.BTC;
    const funds = [fund('BTC', 0, 101_200n), fund('BTC', 1, 500_000n)];
    const wish = request('BTC', { funds: funds.slice(0, 1), quote: quote(10_000n) });
    const previous = planSend(coin, 'regtest', wish);
    const bump = planRbfBump(coin, 'regtest', {
      previous,
      funds,
      changeAddress: CHANGE.BTC,
      quote: quote(previous.feeRate + 1n),
      capRate: coin.feeCapRate,
    });
    expect(bump?.inputs).toHaveLength(2);
    expect(bump!.feeRate >= previous.feeRate + INCREMENT).toBe(true);
  });

  it('returns no replacement when current fees are not higher or exceed the cap', () => {
    const coin = UTXO_COINS.BTC;
    const funds = [fund('BTC', 0, 10n ** 8n)];
    const previous = planSend(coin, 'regtest', request('BTC', { funds, quote: quote(5_000n) }));
    const wish = { previous, funds, changeAddress: CHANGE.BTC, capRate: 10_000n };
    expect(planRbfBump(coin, 'regtest', { ...wish, quote: quote(5_000n) })).toBeNull();
    expect(planRbfBump(coin, 'regtest', { ...wish, quote: quote(20_000n) })).toBeNull();
    expect(planRbfBump(coin, 'regtest', { ...wish, quote: quote(9_000n) })?.feeRate).toBe(9_000n);
  });
});

describe('dustLimit', () => {
  it.each([
    ['BTC', 0, 294n],
    ['BTC', 1, 546n],
    ['BTC', 2, 540n],
    ['BTC', 3, 330n],
    ['LTC', 0, 2_940n],
    ['LTC', 1, 5_460n],
  ] as const)('returns, for %s and destination %i, %s', (code, kind, limit) => {
    const coin = UTXO_COINS[code];
    const script = addressScript(coin, 'regtest', DESTINATIONS[code][kind]!);
    expect(dustLimit(script, coin.dustRelayRate)).toBe(limit);
  });
});
