import type { MedusaContainer } from '@medusajs/framework/types';
import type { Tilld } from '@tilld/sdk';
import type TilldService from '../modules/tilld/service';
import { WEBHOOK_PATH } from './connect';

/** What the settings page shows. `null`: cannot be known now. */
export interface Health {
  readonly connected: boolean;
  readonly tilldUrl: string;
  readonly webhookUrl: string;
  readonly key: boolean | null;
  readonly webhook: boolean | null;
  readonly node: boolean;
  /** What is wrong, in the words of tilld. */
  readonly problems: readonly string[];
}

const QUICK = { retries: 0, timeoutMs: 5_000 } as const;

/** Asks tilld whether the key works, webhooks arrive and the nodes are there. */
export async function readHealth(container: MedusaContainer): Promise<Health> {
  const tilld = container.resolve<TilldService>('tilld');
  const { tilldUrl, backendUrl } = tilld.options;
  const connected = await tilld.connected();
  const webhookUrl = backendUrl + WEBHOOK_PATH;
  const problems: string[] = [];
  const node = await nodeOf(tilld.clientOf(connected?.baseUrl ?? tilldUrl), problems);
  const base = { tilldUrl: connected?.baseUrl ?? tilldUrl, webhookUrl, node, problems };
  if (connected === null) return { ...base, connected: false, key: false, webhook: false };
  const client = tilld.clientOf(connected.baseUrl, connected.key);
  try {
    const { endpoints } = await client.endpoints.list(undefined, QUICK);
    const own = endpoints.find(({ id }) => id === connected.endpointId);
    if (typeof own?.health.lastError === 'string') problems.push(`webhook: ${own.health.lastError}`);
    const webhook = own !== undefined && own.active && !own.health.gone && own.url === webhookUrl;
    return { ...base, connected: true, key: true, webhook };
  } catch (error) {
    const { message, status } = error as { message: string; status?: number };
    problems.push(message);
    const isRefused = status === 401 || status === 403;
    return { ...base, connected: true, key: isRefused ? false : null, webhook: null };
  }
}

async function nodeOf(client: Tilld, problems: string[]): Promise<boolean> {
  try {
    // Without them where the operator of tilld keeps the details to themselves.
    const { ready, warnings = [] } = await client.service.readyz(undefined, QUICK);
    problems.push(...warnings.map(String));
    return ready;
  } catch (error) {
    problems.push((error as Error).message);
    return false;
  }
}
