import { expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const GWEI = 1_000_000_000n;
const MINUTES_MS = 5 * 60_000;

test.skipIf(!requireAnvil())(
  'an ETH send whose max fee is slightly below the base fee is bumped within minutes',
  async () => {
    await using anvil = await Anvil.start();
    await using till = await Till.start(liveEnv({ ETH: anvil.rpcUrl }));
    const baseFee = async (gwei: bigint): Promise<void> => {
      await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(gwei * GWEI).toString(16)}`]);
      await anvil.mine(1);
    };
    const shop = await Shop.open(till.api);
    await till.ready();
    await baseFee(10n);
    await anvil.pay({ address: shop.wallets.ETH, amount: parseCoinAmount('5', 'ETH') });
    for (let at = 0; at < 4; at += 1) await baseFee(10n);
    await eventually(
      'the wallet has it',
      () => shop.balance('ETH'),
      (balance) => balance === '5',
    );
    const destination = await anvil.newAddress();
    const { body } = await shop.send({ coin: 'ETH', destination, amount: '0.5' });
    if (!body.success) throw new Error(JSON.stringify(body));
    const sent = body.data;
    // It pays 13.5 at most: too little for any block.
    for (let at = 0; at < 3; at += 1) await baseFee(14n);
    till.clock.advance(MINUTES_MS);
    const path = `/merchant/wallet/send-status?sendId=${sent.id}`;
    const raised = await eventually(
      'it has a higher price',
      () => shop.api.must<SendJson>('GET', path, { token: shop.secretKey }),
      ({ txHash }) => txHash !== sent.txHash,
    );
    expect(raised).toMatchObject({ amount: '0.5', destination });
  },
  60_000,
);
