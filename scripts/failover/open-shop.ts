import { Shop, type ApiClient } from '../../test/_helpers/api-client.ts';
import { eventually } from '../../test/_helpers/poll.ts';
import type { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { Keys } from './load.ts';
import type { Payer } from './payer.ts';

/** A shop with webhooks, and with a balance in the coin of each payer. */
export async function openShop(api: ApiClient, payers: readonly Payer[], sink: WebhookSink): Promise<Keys> {
  const shop = await Shop.open(api, { webhookUrl: sink.url });
  for (const payer of payers) {
    await payer.fund(shop);
    await eventually(
      `there is ${payer.coin} to send`,
      async () => Number(await shop.balance(payer.coin)),
      (balance) => balance > 0.01,
      60_000,
    );
  }
  const { publicKey, secretKey, customerId } = shop;
  return { publicKey, secretKey, customerId };
}
