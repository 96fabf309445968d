import type { Db } from '../../src/store/sqlite/database.ts';
import type { CoinVolume, FiatVolume, VolumeFilter } from '../../src/store/payments/volume.ts';

/** Volume added up from the payments and their money themselves, without anything that is kept of it. */
export async function volumeByPayments(
  db: Db,
  { merchantId, mode, fromMs, beforeMs }: VolumeFilter,
): Promise<{ coins: CoinVolume[]; fiat: FiatVolume[] }> {
  const payments = await db
    .selectFrom('payments')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('status', '=', 'completed')
    .where('createdAt', '>=', fromMs)
    .where('createdAt', '<', beforeMs)
    .execute();
  const coins = new Map<string, CoinVolume>();
  const fiat = new Map<string, FiatVolume>();
  for (const { id, amount, currency } of payments) {
    const outputs = await db
      .selectFrom('outputs')
      .innerJoin('payments', 'payments.id', 'outputs.paymentId')
      .selectAll('outputs')
      .where((eb) => eb.or([eb('payments.id', '=', id), eb('payments.supersededBy', '=', id)]))
      .execute();
    const confirmed = outputs.filter(({ state }) => state === 'confirmed');
    const paidIn = [...new Set(confirmed.map(({ coin }) => coin))];
    for (const coin of paidIn) {
      const { atoms, payments: count } = coins.get(coin) ?? { atoms: 0n, payments: 0 };
      const ofCoin = confirmed.filter((output) => output.coin === coin);
      const sum = ofCoin.reduce((total, output) => total + BigInt(output.amount), atoms);
      coins.set(coin, { coin, atoms: sum, payments: count + 1 });
    }
    const coin = paidIn.length === 1 ? (paidIn[0] ?? null) : null;
    const { sum, payments: count } = fiat.get(`${currency} ${coin}`) ?? { sum: 0n, payments: 0 };
    const [whole = '', fraction = ''] = amount.split('.');
    const price = BigInt(whole + fraction.padEnd(4, '0'));
    fiat.set(`${currency} ${coin}`, { currency, coin, sum: sum + price, payments: count + 1 });
  }
  return { coins: [...coins.values()], fiat: [...fiat.values()] };
}
