/** A list of ETH addresses of a real node that is entered again, in another order, after a restore from the words alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from 'ethers/wallet';
import { hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { type ApiClient, type PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { coldAddresses, coldKey } from '../../_helpers/listed-addresses.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const LIMIT_MS = 90_000;
const PASSWORD = 'correct horse battery';
const GAS_PRICE = 10_000_000_000n;
const GAS = 21_000n;

interface ListJson {
  readonly id: string;
  readonly nextIndex: number;
  readonly list: { readonly remaining: number };
  readonly balance: string;
}

async function watchList(
  api: ApiClient,
  { merchantId, token }: { readonly merchantId: string; readonly token: string },
  addresses: readonly string[],
): Promise<ListJson> {
  const body = { merchantId, coin: 'ETH', addresses };
  const { id } = await api.must<ListJson>('POST', '/merchant/wallet/watch', { token, body });
  return api.must('POST', '/merchant/wallet/watch/confirm', { token, body: { merchantId, id } });
}

/** The cold wallet moves the money of an address elsewhere. */
async function empty(anvil: Anvil, index: number, amount: bigint): Promise<void> {
  const wallet = new Wallet(`0x${hex.encode(coldKey('words', index))}`);
  const raw = await wallet.signTransaction({
    to: await anvil.newAddress(),
    value: amount - GAS * GAS_PRICE,
    gasLimit: GAS,
    gasPrice: GAS_PRICE,
    nonce: 0,
    chainId: BigInt(await anvil.rpc<string>('eth_chainId')),
  });
  await anvil.rpc('eth_sendRawTransaction', [raw]);
}

describe.skipIf(!requireAnvil())('a list of ETH addresses after a restore from the words', () => {
  it(
    'gives orders the addresses without a history alone, also those of a short list in another order',
    { timeout: 4 * LIMIT_MS },
    async () => {
      const anvil = await Anvil.start();
      const dir = mkdtempSync(join(tmpdir(), 'till-words-'));
      const settings = { TILLD_FORWARD_DELAY: '0s', TILLD_KEYRING_PASSPHRASE: 'a passphrase' };
      const env = { ...liveEnv({ ETH: anvil.rpcUrl }), ...settings };
      const first = await TillProcess.start(env);
      try {
        const shop = await Shop.open(first.api);
        await first.ready();
        const cold = coldAddresses('ETH', 'words', 30);
        await watchList(first.api, shop, cold);
        const orders: PaymentJson[] = [];
        for (let made = 0; made < 3; made += 1)
          orders.push(await shop.createPayment({ allowedCryptos: ['ETH'] }));
        const amounts = orders.map(({ options }) => parseCoinAmount(options.ETH.amount, 'ETH'));
        for (const [at, amount] of amounts.entries()) await anvil.pay({ address: cold[at] ?? '', amount });
        for (const { id } of orders)
          await eventually(
            'the order is completed',
            async () => {
              await anvil.mine(5);
              return shop.payment(id);
            },
            ({ status }) => status === 'completed',
            LIMIT_MS,
          );
        // The first address held money, and shows only its nonce now.
        await empty(anvil, 0, amounts[0] ?? 0n);
        await anvil.mine(13);
        const { stdout: words } = await runTool('seed', ['show', '--yes', '--data-dir', first.dataDir], {
          env,
        });
        await first.kill9();

        const [target, password] = [join(dir, 'from-words'), join(dir, 'password')];
        writeFileSync(password, PASSWORD);
        const args = ['--words-file', '-', '--password-file', password, '--accounts', '1', '--gap', '100'];
        const made = await runTool(
          'seed',
          ['restore', '--email', 'me@example.com', '--data-dir', target, ...args],
          { env, input: words },
        );
        expect(made).toMatchObject({ code: 0 });
        await using till = await Till.start(env, {}, target);
        await till.ready();
        const { token } = await till.api.must<{ token: string }>('POST', '/auth/login', {
          body: { email: 'me@example.com', password: PASSWORD },
        });
        const { merchants } = await till.api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', {
          token,
        });
        const merchantId = merchants[0]?.id ?? '';
        // The used ones are the last of 25: no wallet finds them by their position.
        const entered = [...cold.slice(3, 25), ...cold.slice(0, 3)];
        const list = await watchList(till.api, { merchantId, token }, entered);
        expect(list).toMatchObject({ nextIndex: 3, list: { remaining: 22 } });
        // Money on addresses of lost orders is in the balance, and uses up no further addresses of the list.
        const shown = await eventually(
          'the money of the lost orders is shown',
          async () => {
            await anvil.mine(2);
            const path = `/merchant/wallet/watch?merchantId=${merchantId}`;
            return (await till.api.must<{ accounts: ListJson[] }>('GET', path, { token })).accounts[0];
          },
          (now) => parseCoinAmount(now?.balance ?? '0', 'ETH') >= (amounts[1] ?? 0n) + (amounts[2] ?? 0n),
          LIMIT_MS,
        );
        expect(shown).toMatchObject({ nextIndex: 3, list: { remaining: 22 } });
      } finally {
        await first.end();
        await anvil.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );
});
