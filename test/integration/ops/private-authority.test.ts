import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine } from '../../../scripts/failover/machine.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { FakeUtxoNode } from '../../_helpers/fake-utxo-node.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openPlace } from '../../_helpers/replica-places.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';
import { SmtpSink } from '../../_helpers/smtp-sink.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';
import { GENESIS, genesisBlock } from '../../vectors/utxo/genesis.ts';

const LIMIT_MS = 300_000;
const dir = mkdtempSync(join(tmpdir(), 'tilld-authority-'));
const caFile = join(dir, 'authorities.pem');
const tls = selfSigned(['localhost']);
/** Types of the events that arrived at the webhook endpoint. */
const events: string[] = [];

const servers: Server[] = [];

let node: FakeUtxoNode;
let mails: SmtpSink;
let env: Record<string, string>;
let webhookUrl: string;

/** The HTTPS address of a server on this machine. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
}

/** A server that speaks TLS and forwards requests to an HTTP server. */
function tlsBefore(target: string): Server {
  const proxy = createServer(tls, (asked, answer) => {
    const { method = 'GET', headers } = asked;
    const forwarded = request(new URL(asked.url ?? '/', target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  servers.push(proxy);
  return proxy;
}

beforeAll(async () => {
  writeFileSync(caFile, tls.cert);
  const recipe = GENESIS['BTC regtest']!;
  node = await FakeUtxoNode.start({ ...genesisBlock(recipe), time: recipe.time }, '/Satoshi:29.2.0/');
  node.mine();
  mails = await SmtpSink.start({ tls });
  const endpoint = createServer(tls, (asked, answer) => {
    let body = '';
    asked.setEncoding('utf8').on('data', (text: string) => (body += text));
    asked.on('end', () => {
      events.push((JSON.parse(body) as { type: string }).type);
      answer.end();
    });
  });
  servers.push(endpoint);
  webhookUrl = await listen(endpoint);
  const nodeUrl = await listen(tlsBefore(node.rpcUrl));
  env = {
    ...liveEnv({ BTC: nodeUrl }),
    TILLD_DATA_DIR: join(dir, 'data'),
    TILLD_SMTP_URL: `smtps://localhost:${mails.port}`,
    TILLD_OPERATOR_EMAIL: 'ops@shop.example',
  };
});
afterAll(async () => {
  await mails.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await node.close();
  rmSync(dir, { recursive: true, force: true });
});

async function checkConfig(more: Record<string, string>): Promise<Record<string, string>> {
  const { stdout } = await runTool('tillctl', ['check-config', '--json'], { env: { ...env, ...more } });
  const findings = JSON.parse(stdout) as { check: string; result: string; detail: string }[];
  return Object.fromEntries(findings.map(({ check, result, detail }) => [check, `${result}: ${detail}`]));
}

describe('TILLD_CA_FILE', () => {
  it(
    'makes tillctl check-config accept the certificates of a node and a mail server that it rejects otherwise',
    async () => {
      const without = await checkConfig({});
      expect(without['node BTC']).toMatch(/^failed: .*certificate/);
      expect(without['mail']).toMatch(/^failed: .*certificate/);
      const found = await checkConfig({ TILLD_CA_FILE: caFile });
      expect(found['node BTC']).toMatch(/^(ok|warning): .*height 1/);
      expect(found['mail']).toMatch(/^ok/);
      expect(found['certificate']).toContain(caFile);
    },
    LIMIT_MS,
  );

  it(
    'makes the daemon follow a node, deliver webhooks and send mails over TLS with certificates of that authority',
    async () => {
      const { TILLD_DATA_DIR: dataDir = '', ...settings } = env;
      await using till = await TillProcess.start({ ...settings, TILLD_CA_FILE: caFile }, dataDir);
      const before = mails.mails.length;
      const shop = await Shop.open(till.api, { webhookUrl });
      await till.ready();
      await shop.createPayment();
      await eventually(
        'the webhook arrives',
        () => events,
        (types) => types.includes('payment.created'),
      );
      await eventually(
        'the mail arrives',
        () => mails.mails.length,
        (count) => count > before,
      );
    },
    LIMIT_MS,
  );

  it(
    'makes Litestream replicate to an S3 server with a certificate of that authority, without those of the system',
    async () => {
      const place = await openPlace('an S3 server');
      const s3 = await listen(tlsBefore(place.env['TILLD_REPLICA_S3_ENDPOINT'] ?? ''));
      const replica = {
        ...place.env,
        TILLD_REPLICA_URL: place.url,
        TILLD_REPLICA_S3_ENDPOINT: s3,
        // As in an image without the certificates of the system.
        SSL_CERT_DIR: join(dir, 'no-certificates'),
      };
      const dataDir = join(dir, 'replicated');
      await using without = await TillProcess.spawn(replica, dataDir);
      await without.ended();
      expect(without.output).toMatch(
        /the replica cannot be read .*x509: certificate signed by unknown authority/,
      );
      const machine = await Machine.start({ ...replica, TILLD_CA_FILE: caFile }, dataDir);
      await machine.replicated();
      await machine.powerOff();
      await place.end();
    },
    LIMIT_MS,
  );
});
