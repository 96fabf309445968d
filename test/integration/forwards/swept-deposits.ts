/** A shop on a real Ethereum node whose deposits are swept to its address and forwarded to cold storage. */
import { expect } from 'vitest';
import { openEthereum } from '../../../scripts/fees/path/path-chain.ts';
import { type Merchant, PathShop } from '../../../scripts/fees/path/path-shop.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { getBalances } from '../../../src/usecases/wallet/get-balances.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { sum } from './chain-audit.ts';

const GWEI = 1_000_000_000n;
const PRICE = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI };
const KEEP = '0.05';
const THRESHOLD = '0.01';
/** Deposits of one block. */
const PER_BLOCK = 50;
/** Deposits that one round sweeps. */
const PER_ROUND = 20;
/** Rounds for the last blocks and forwards. */
const MORE_ROUNDS = 10;

export interface SweptFigures {
  readonly sweeps: number;
  readonly forwards: number;
  /** Wei. */
  readonly fees: bigint;
}

interface Receipt {
  readonly from: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly status: string;
}

/** Pays so many payments, sweeps and forwards them, and compares every wei with the node. */
export async function sweepAndForward(count: number): Promise<SweptFigures> {
  const anvil = await Anvil.start();
  const shop = await PathShop.open(await openEthereum(anvil));
  try {
    const merchant = await shop.newMerchant();
    const cold = await anvil.newAddress();
    await shop.forwardTo(merchant, { keep: KEEP, threshold: THRESHOLD, destination: cold });
    const payments = [];
    for (let made = 0; made < count; made += 1) {
      const cents = (20 + (made % 41)) * 100 + ((made * 37) % 100);
      payments.push(await shop.newPayment(merchant, (cents / 100).toFixed(2)));
    }
    for (const [at, { address, atoms }] of payments.entries()) {
      await anvil.send({ to: address, value: atoms, data: '0x', ...PRICE });
      if (at % PER_BLOCK === PER_BLOCK - 1) await shop.block();
    }
    await shop.block();
    const rounds = Math.ceil(count / PER_ROUND) + MORE_ROUNDS;
    for (let round = 0; round < rounds; round += 1) {
      await shop.round();
      await shop.block();
    }
    return await compare(anvil, shop, { payments, cold, merchant });
  } finally {
    await shop.close();
  }
}

interface Money {
  readonly payments: readonly { readonly address: string; readonly atoms: bigint }[];
  readonly cold: string;
  readonly merchant: Merchant;
}

async function compare(
  anvil: Anvil,
  shop: PathShop,
  { payments, cold, merchant }: Money,
): Promise<SweptFigures> {
  const sends = await shop.world.db.selectFrom('sends').selectAll().execute();
  expect(new Set(sends.map(({ status }) => status))).toEqual(new Set(['confirmed']));
  const fees: bigint[] = [];
  for (const { txid, fee, maxFee, ordered, purpose, reason } of sends) {
    const receipt = await anvil.rpc<Receipt>('eth_getTransactionReceipt', [txid]);
    const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    expect({ status: receipt.status, paid }).toEqual({ status: '0x1', paid: BigInt(fee) });
    // A sweep costs at most a twentieth of the deposit, a forward TILLD_FORWARD_FEE_SHARE (1 %).
    expect({ purpose, reason }).toEqual(
      purpose === 'sweep' ? { purpose, reason: null } : { purpose, reason: 'forward' },
    );
    const share = purpose === 'sweep' ? 20n : 100n;
    expect(paid).toBeLessThanOrEqual(BigInt(maxFee));
    expect(BigInt(maxFee)).toBeLessThanOrEqual(BigInt(ordered) / share);
    fees.push(paid);
  }
  // Each deposit left its address once, and left nothing.
  for (const { address } of payments) {
    const nonce = await anvil.rpc<string>('eth_getTransactionCount', [address, 'latest']);
    expect([Number(nonce), await anvil.balance(address)]).toEqual([1, 0n]);
  }
  const [forwarded, kept] = [await anvil.balance(cold), await anvil.balance(shop.address(merchant))];
  expect(forwarded + kept + sum(fees)).toBe(sum(payments.map(({ atoms }) => atoms)));
  // Gas that a forward reserved and did not use stays below the threshold.
  expect(kept).toBeGreaterThanOrEqual(parseCoinAmount(KEEP, 'ETH'));
  expect(kept).toBeLessThan(parseCoinAmount(KEEP, 'ETH') + parseCoinAmount(THRESHOLD, 'ETH'));
  const forwards = sends.filter(({ reason }) => reason === 'forward');
  expect(forwarded).toBe(sum(forwards.map(({ amount }) => BigInt(amount))));
  expect((await getBalances({ db: shop.world.db }, { merchant })).ETH).toBe(formatCoinAmount(kept, 'ETH'));
  return { sweeps: sends.length - forwards.length, forwards: forwards.length, fees: sum(fees) };
}
