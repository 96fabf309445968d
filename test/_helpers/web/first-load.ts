import type { BrowserContext, CDPSession } from 'playwright-core';

/** The conditions of a load. */
export interface Throttle {
  /** Added to every request, ms. */
  readonly latencyMs: number;
  readonly downBytesPerSecond: number;
  readonly upBytesPerSecond: number;
  /** How many times slower than this machine the device is. */
  readonly cpu: number;
}

/** What a browser without a cache needed until a page showed what it is for. */
export interface FirstLoad {
  /** Of all responses, as transferred, with their headers. */
  readonly bytes: number;
  /** Of the scripts among them. */
  readonly scriptBytes: number;
  readonly requests: number;
  readonly shownMs: number;
}

export interface FirstLoadOptions {
  readonly address: string;
  /** A selector of what the reader came for. */
  readonly shows: string;
  /** None by default. */
  readonly throttle?: Throttle;
}

/** Opens an address with an empty cache and measures until the page shows the selector. */
export async function measureFirstLoad(
  context: BrowserContext,
  { address, shows, throttle }: FirstLoadOptions,
): Promise<FirstLoad> {
  const page = await context.newPage();
  try {
    const client = await context.newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    if (throttle !== undefined) await slowDown(client, throttle);
    const loaded = countBytes(client);
    const started = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await page.locator(shows).first().waitFor();
    return { ...loaded(), shownMs: performance.now() - started };
  } finally {
    await page.close();
  }
}

async function slowDown(client: CDPSession, { latencyMs, cpu, ...speed }: Throttle): Promise<void> {
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: speed.downBytesPerSecond,
    uploadThroughput: speed.upBytesPerSecond,
  });
  await client.send('Emulation.setCPUThrottlingRate', { rate: cpu });
}

function countBytes(client: CDPSession): () => Omit<FirstLoad, 'shownMs'> {
  const scripts = new Set<string>();
  let bytes = 0;
  let scriptBytes = 0;
  let requests = 0;
  client.on('Network.requestWillBeSent', () => (requests += 1));
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    if (scripts.has(requestId)) scriptBytes += encodedDataLength;
  });
  return () => ({ bytes, scriptBytes, requests });
}
