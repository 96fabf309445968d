import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { Certificate } from '../../../src/http/server/certificate.ts';
import { createListener } from '../../../src/http/server/listener.ts';
import { startHttpApp } from '../../_helpers/http-app.ts';
import { eventually } from '../../_helpers/poll.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';
import { TillProcess } from '../../_helpers/till.ts';

it('the HTTPS server uses the configured certificate, and shuts down despite clients without a completed handshake', async () => {
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

const DAY_MS = 86_400_000;
const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true });
});

async function writePair(pair: { cert: string; key: string }, dir?: string) {
  const folder = dir ?? (await mkdtemp(join(tmpdir(), 'tilld-tls-')));
  if (dir === undefined) dirs.push(folder);
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  await writeFile(files.certFile, pair.cert);
  await writeFile(files.keyFile, pair.key, { mode: 0o600 });
  return { folder, ...files };
}

/** The serial number of the certificate that a new connection gets. */
async function servedSerial(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, agent: false };
    get(options, (answer) => {
      answer.resume();
      resolve((answer.socket as TLSSocket).getPeerX509Certificate()?.serialNumber ?? '');
    }).once('error', reject);
  });
}

const serialOf = ({ cert }: { cert: string }): string => new X509Certificate(cert).serialNumber;

/** A certificate that is checked by hand only, on a listener of its own. */
async function openCertificate(pair: { cert: string; key: string }) {
  const files = await writePair(pair);
  const logs: string[] = [];
  const log = (_fields: object, message: string): void => void logs.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const clock = { at: Date.now(), now: () => clock.at };
  const certificate = new Certificate(files, { clock, logger, checkEveryMs: 5 });
  const app = express().get('/healthz', (_req, res) => void res.end());
  const listener = createListener(app, { logger, tls: certificate, settings: 'TEST' });
  const { port } = await listener.listen({ host: '127.0.0.1', port: 0 });
  return { ...files, logs, clock, certificate, listener, port };
}

it('the HTTPS server uses a renewed certificate for new connections without a restart', async () => {
  const [old, renewed] = [selfSigned(), selfSigned(['localhost'], 90)];
  const { folder, certificate, listener, logs, port } = await openCertificate(old);
  expect(await servedSerial(port)).toBe(serialOf(old));
  certificate.start();
  await writePair(renewed, folder);
  await eventually(
    'the renewed certificate is served',
    () => servedSerial(port),
    (serial) => serial === serialOf(renewed),
  );
  expect(logs).toContain('TLS certificate renewed');
  expect(certificate.warnings()).toEqual([]);
  await certificate.stop();
  await listener.close(0);
});

it('the HTTPS server keeps the old certificate and warns while the renewed one does not match its key file', async () => {
  const [old, renewed] = [selfSigned(['localhost'], 90), selfSigned(['localhost'], 90)];
  const { folder, certFile, certificate, listener, logs, port } = await openCertificate(old);
  await writeFile(certFile, renewed.cert);
  certificate.reload();
  certificate.reload();
  expect(await servedSerial(port)).toBe(serialOf(old));
  expect(certificate.warnings()).toEqual([
    expect.stringMatching(/^the previous TLS certificate stays in use: .*belong together/),
  ]);
  expect(logs).toEqual(['new TLS files cannot be used; the previous certificate stays in use']);

  await rm(certFile);
  certificate.reload();
  expect(certificate.warnings().join()).toContain('cannot read the file of TILLD_TLS_CERT');
  await writePair(renewed, folder);
  certificate.reload();
  expect(await servedSerial(port)).toBe(serialOf(renewed));
  expect(certificate.warnings()).toEqual([]);
  await listener.close(0);
});

it('the HTTPS server warns in the 14 days before its certificate expires, and after it has expired', async () => {
  const { clock, certificate, listener, logs } = await openCertificate(selfSigned(['localhost'], 90));
  certificate.reload();
  expect(certificate.warnings()).toEqual([]);
  clock.at += 77 * DAY_MS;
  certificate.reload();
  certificate.reload();
  expect(certificate.warnings()).toEqual([
    expect.stringMatching(/^the TLS certificate ends in 12 days, at 20/),
  ]);
  expect(logs).toEqual(['TLS certificate expires soon']);
  clock.at += 14 * DAY_MS;
  expect(certificate.warnings()).toEqual([expect.stringMatching(/^the TLS certificate ended at 20/)]);
  await listener.close(0);
});

it('the daemon re-reads its certificate on SIGHUP, and reports its expiry in /readyz and /metrics', async () => {
  const [old, renewed] = [selfSigned(), selfSigned(['localhost'], 2)];
  const { folder, certFile, keyFile } = await writePair(old);
  const env = { TILLD_TLS_CERT: certFile, TILLD_TLS_KEY: keyFile, TILLD_ADMIN_LISTEN: '127.0.0.1:0' };
  const till = await TillProcess.spawn({ ...env, TILLD_LOG_LEVEL: 'info' }, join(folder, 'data'));
  const { url, operatorUrl } = await eventually(
    'the daemon listens',
    async () =>
      /"url":"(?<url>[^"]+)".*"operatorUrl":"(?<operatorUrl>[^"]+)"/.exec(till.output)?.groups ?? {},
    (groups) => groups['url'] !== undefined,
    120_000,
  );
  const port = Number(new URL(url ?? '').port);
  expect(await servedSerial(port)).toBe(serialOf(old));
  await writePair(renewed, folder);
  process.kill(till.pid, 'SIGHUP');
  await eventually(
    'the renewed certificate is served',
    () => servedSerial(port),
    (serial) => serial === serialOf(renewed),
  );
  const ready = (await (await fetch(`${operatorUrl}/readyz`)).json()) as { data: { warnings: string[] } };
  expect(ready.data.warnings).toEqual([]);
  const endsAt = Date.parse(new X509Certificate(renewed.cert).validTo) / 1000;
  expect(await (await fetch(`${operatorUrl}/metrics`)).text()).toContain(
    `\ntilld_tls_certificate_end_timestamp_seconds ${endsAt}\n`,
  );
  expect(await till.terminate()).toBe(0);
  await till.end();
});
