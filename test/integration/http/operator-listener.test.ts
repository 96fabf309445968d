import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { Till } from '../../_helpers/till.ts';

const DETAILS = {
  ready: true,
  database: 'ok',
  chains: { BTC: { height: 925_000, nodeVersion: '/Satoshi:27.0.0/' } },
  warnings: ['no backup for 3 days'],
};

let app: HttpApp;
let isReady = true;
beforeAll(async () => {
  app = await startHttpApp({
    settings: { adminListen: { host: '127.0.0.1', port: 0 } },
    readiness: async () => ({ ...DETAILS, ready: isReady }),
  });
});
afterAll(async () => app.destroy());

const read = async (base: string | null, path: string) => {
  const response = await fetch(`${base}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the separate listener for the operator', () => {
  it('serves /metrics and the details of /readyz', async () => {
    const ready = await read(app.operatorUrl, '/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      200,
      { success: true, error: null, data: DETAILS },
    ]);
    const metrics = await read(app.operatorUrl, '/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain('tilld_http_request_duration_seconds');
    expect((await read(app.operatorUrl, '/healthz')).status).toBe(200);
  });

  it('serves no other path', async () => {
    for (const path of ['/auth/me', '/docs', '/openapi.json', '/dashboard', '/', '/metrics/', '/Metrics']) {
      const { status, headers } = await read(app.operatorUrl, path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('does not remove /healthz and a short /readyz from the public listener', async () => {
    for (const path of ['/metrics', '/metrics/', '/Metrics', '//metrics', '/%6detrics']) {
      expect([path, (await read(app.baseUrl, path)).status]).toEqual([path, 404]);
    }
    const ready = await read(app.baseUrl, '/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      200,
      { success: true, error: null, data: { ready: true } },
    ]);
    isReady = false;
    const unready = await read(app.baseUrl, '/readyz');
    expect([unready.status, JSON.parse(unready.text)]).toMatchObject([503, { data: { ready: false } }]);
    expect(unready.text).not.toContain('925000');
    expect((await read(app.operatorUrl, '/readyz')).text).toContain('925000');
    isReady = true;
    expect((await read(app.baseUrl, '/healthz')).status).toBe(200);
  });

  it('is closed together with the public listener', async () => {
    const other = await startHttpApp({ settings: { adminListen: { host: '127.0.0.1', port: 0 } } });
    const { operatorUrl } = other;
    await other.destroy();
    await expect(read(operatorUrl, '/healthz')).rejects.toThrow('fetch failed');
  });

  it('is disabled by default, and then the public listener serves /metrics and the details of /readyz', async () => {
    const alone = await startHttpApp();
    expect(alone.operatorUrl).toBeNull();
    expect((await read(alone.baseUrl, '/metrics')).status).toBe(200);
    expect((await read(alone.baseUrl, '/readyz')).text).toContain('"chains"');
    await alone.destroy();
  });
});

describe('a daemon with TILLD_ADMIN_LISTEN', () => {
  it('shows the state of its chains on that listener only', async () => {
    const at = `127.0.0.1:${await freePort()}`;
    await using till = await Till.start({ TILLD_ADMIN_LISTEN: at });
    expect((await read(`http://${at}`, '/readyz')).text).toContain('BTC-sandbox');
    expect((await read(till.api.baseUrl, '/readyz')).text).not.toContain('BTC');
    expect((await read(`http://${at}`, '/metrics')).text).toContain('tilld_build_info');
    expect((await read(till.api.baseUrl, '/metrics')).status).toBe(404);
  });

  it('does not start while that address is in use, and names the setting', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(Till.start({ TILLD_ADMIN_LISTEN: `127.0.0.1:${port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1, port ${port} (TILLD_ADMIN_LISTEN): another program listens there already`,
    );
    taken.close();
  });
});
