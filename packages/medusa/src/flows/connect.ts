import type { Logger, MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { connectSecrets, connectUrl, type Scope, type Tilld } from '@tilld/sdk';
import type TilldService from '../modules/tilld/service';
import { reconcile } from './reconcile';

/** What a shop needs. Never `wallet:send`: a refund is a link, which the owner approves at tilld. */
const SCOPES: Scope[] = [
  'payments:write',
  'refunds:write',
  'customers:write',
  'events:read',
  'webhooks:write',
];
const REQUEST_LIFETIME_MS = 60 * 60 * 1000;

export const WEBHOOK_PATH = '/hooks/tilld';
export const CONNECTED_PATH = '/tilld/connected';

/** The page of tilld on which the owner agrees to a key for this shop. */
export async function startConnect(container: MedusaContainer): Promise<string> {
  const tilld = container.resolve<TilldService>('tilld');
  const { tilldUrl, backendUrl, shopName } = tilld.options;
  const { codeVerifier, codeChallenge, state } = await connectSecrets();
  await tilld.keepRequest({ state, codeVerifier, expiresAt: new Date(Date.now() + REQUEST_LIFETIME_MS) });
  const redirectUrl = backendUrl + CONNECTED_PATH;
  return connectUrl({ baseUrl: tilldUrl, name: shopName, scopes: SCOPES, redirectUrl, state, codeChallenge });
}

export type ConnectOutcome = 'connected' | 'denied' | 'unknown';

/** Takes what the owner came back with. Everything that happened meanwhile is applied at once. */
export async function finishConnect(
  container: MedusaContainer,
  back: { readonly code?: string; readonly state?: string },
): Promise<ConnectOutcome> {
  const tilld = container.resolve<TilldService>('tilld');
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const request = back.state === undefined ? null : await tilld.takeRequest(back.state);
  if (request === null) return 'unknown';
  if (back.code === undefined) return 'denied';
  const baseUrl = tilld.options.tilldUrl;
  const { merchantId, key } = await tilld.clientOf(baseUrl).connect.token({
    code: back.code,
    codeVerifier: request.codeVerifier,
  });
  const client = tilld.clientOf(baseUrl, key);
  const endpoint = await ownEndpoint(client, tilld.options.backendUrl + WEBHOOK_PATH);
  await tilld.connect({ baseUrl, merchantId, key, endpointId: endpoint.id, webhookSecret: endpoint.secret });
  logger.info(`tilld: connected to merchant ${merchantId} at ${baseUrl}`);
  void catchUp(container, logger);
  return 'connected';
}

/** The endpoint of this shop: the one that exists, so that what waits for it still arrives, else a new one. */
async function ownEndpoint(client: Tilld, url: string): Promise<{ id: string; secret: string }> {
  const { endpoints } = await client.endpoints.list();
  const existing = endpoints.find((endpoint) => endpoint.url === url && !endpoint.default);
  if (existing === undefined) return client.endpoints.create({ url });
  await client.endpoints.edit({ endpointId: existing.id, active: true, events: null });
  const { secret } = await client.endpoints.secret({ endpointId: existing.id });
  return { id: existing.id, secret };
}

async function catchUp(container: MedusaContainer, logger: Logger): Promise<void> {
  await reconcile(container).catch((error: Error) =>
    logger.error(`tilld: ${error.message}; the job tries again`),
  );
}
