import { expect, it } from 'vitest';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import type { ChainWorld } from '../harness.ts';
import { openShop, unconfirmedCredit } from '../observe.ts';

export function addressCases(coin: Coin, world: () => ChainWorld): void {
  it('the adapter accepts the addresses that the wallet derives and valid addresses of others', async () => {
    const { adapter, address } = openShop(world());
    expect(adapter.validateAddress(address)).toBeNull();
    expect(adapter.validateAddress(await world().strangerAddress())).toBeNull();
  });

  it('the adapter rejects an address that cannot be paid on this coin and network, with the reason', () => {
    const { adapter } = openShop(world());
    for (const [wrong, address] of Object.entries(world().badAddresses)) {
      expect(adapter.validateAddress(address), `an address ${wrong}`).toEqual(expect.any(String));
    }
  });

  it('an address has one watch key, whatever its spelling', async () => {
    const { adapter, address } = openShop(world());
    const other = world().newAddress();
    expect(adapter.watchKey(address)).toBe(adapter.watchKey(address));
    expect(adapter.watchKey(address)).not.toBe(adapter.watchKey(other.address));
    for (const spelling of otherSpellings(coin, address)) {
      expect(adapter.validateAddress(spelling)).toBeNull();
      expect(adapter.watchKey(spelling)).toBe(adapter.watchKey(address));
    }
  });

  it('a payment is found by the watch key when the payer uses another spelling of the address', async () => {
    const shop = openShop(world());
    const [spelling = shop.address] = otherSpellings(coin, shop.address);
    const txid = await world().pay([{ address: spelling, amount: world().amount }]);
    const credit = await unconfirmedCredit(shop.adapter, txid);
    expect(credit.watchKey).toBe(shop.adapter.watchKey(shop.address));
    await world().mine(1);
  });

  it('a payment URI of the coin contains the address and the exact amount', () => {
    const { adapter, address } = openShop(world());
    const amount = world().amount + 1n;
    const uri = adapter.paymentUri({ address, amount });
    expect(uri).toContain(address);
    const [, query = ''] = uri.split('?');
    const told = new URLSearchParams(query);
    if (coin === 'ETH') expect(told.get('value')).toBe(amount.toString());
    else expect(told.get('amount')).toBe(formatCoinAmount(amount, coin));
    const labelled = adapter.paymentUri({ address, amount, label: 'Tea & cake #1' });
    expect(labelled.split('?')[1]).not.toContain('#');
  });

  it('an address can be paid from a stated minimum amount on', () => {
    const { adapter } = openShop(world());
    expect(adapter.minimumPayment).toBeGreaterThan(0n);
    expect(adapter.minimumPayment).toBeLessThan(world().amount);
  });
}

function otherSpellings(coin: Coin, address: string): string[] {
  if (coin === 'ETH') return [address.toLowerCase()];
  return coin === 'SOL' ? [] : [address.toUpperCase()];
}
