import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startHttpApp } from '../../_helpers/http-app.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

it('the HTTPS server uses the given certificate, and shuts down despite clients without a completed handshake', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tilld-tls-'));
  const { cert, key } = selfSigned();
  const tls = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key, { mode: 0o600 });
  const app = await startHttpApp({ tls });
  const port = Number(new URL(app.baseUrl).port);
  const [status, security] = await new Promise<[number, string | undefined]>((resolve, reject) => {
    get({ host: '127.0.0.1', servername: 'localhost', port, path: '/healthz', ca: cert }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        resolve([answer.statusCode ?? 0, answer.headers['strict-transport-security']]),
      );
    }).once('error', reject);
  });
  expect(status).toBe(200);
  expect(security).toContain('max-age=');
  const silent = connect(port, '127.0.0.1');
  silent.on('error', () => {});
  await new Promise((resolve) => silent.once('connect', resolve));
  const gone = new Promise((resolve) => silent.once('close', resolve));
  await app.close(200);
  await gone;
  await app.destroy();
  await rm(dir, { recursive: true, force: true });
});

it.each([
  ['not there', 'TILLD_TLS_CERT', undefined],
  ['no certificate', 'TILLD_TLS_CERT, TILLD_TLS_KEY', 'words'],
])('the HTTPS server names the setting of a file that is %s', async (_what, setting, text) => {
  const dir = await mkdtemp(join(tmpdir(), 'tilld-tls-'));
  const tls = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  if (text !== undefined) for (const file of Object.values(tls)) await writeFile(file, text);
  await expect(startHttpApp({ tls })).rejects.toThrow(setting);
  await rm(dir, { recursive: true, force: true });
});
