/** What SFTP and S3 servers that misbehave are taken for by a standby: never for a place where nothing is. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplicaTarget } from '../../../src/replica/litestream.ts';
import { S3Files } from '../../../src/replica/standby/s3-files.ts';
import { SftpFiles } from '../../../src/replica/standby/sftp-files.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';

let dir: string;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-servers-'));
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  rmSync(dir, { recursive: true, force: true });
});

const HOST_KEY = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private;

function sftpTarget(port: number, password = 'secret-of-the-user'): ReplicaTarget {
  const key = ssh2.utils.parseKey(HOST_KEY);
  if (key instanceof Error || Array.isArray(key)) throw new Error('no key');
  const knownHostsFile = join(dir, 'known-hosts');
  writeFileSync(knownHostsFile, `h ecdsa-sha2-nistp256 ${key.getPublicSSH().toString('base64')}\n`);
  const url = `sftp://u:${password}@127.0.0.1:${port}/x`;
  return { url: { reveal: () => url }, sshKeyFile: null, knownHostsFile, s3Endpoint: null, s3Region: null };
}

async function tcpServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  closing.push(
    () => sockets.forEach((socket) => socket.destroy()),
    () => server.close(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const GREETING = 'SSH-2.0-x\r\n';

describe('an SFTP server', () => {
  it.each<[what: string, serve: (socket: Socket) => void]>([
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['hangs up', (socket) => void socket.end()],
    ['speaks something else', (socket) => void socket.write('HTTP/1.1 400\r\n\r\n')],
    [
      'breaks off after its greeting',
      (socket) => {
        socket.write(GREETING);
        setTimeout(() => socket.resetAndDestroy(), 50);
      },
    ],
    [
      'sends no packets and breaks off',
      (socket) => {
        socket.write(GREETING);
        socket.write(Buffer.alloc(5_000, 255));
        setTimeout(() => socket.resetAndDestroy(), 50);
      },
    ],
    ['says nothing', () => undefined],
  ])('that %s is one that cannot be read', async (_, serve) => {
    const opening = SftpFiles.open(sftpTarget(await tcpServer(serve)));
    await expect(opening).rejects.toThrow('the SFTP server cannot be read');
    await expect(opening).rejects.not.toThrow('secret-of-the-user');
  });

  it('that ends the connection while it lists is one that cannot be read', async () => {
    const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => context.accept());
      client.on('session', (accept) => {
        accept().on('sftp', (open) => {
          open().on('OPENDIR', () => client.end());
        });
      });
    });
    closing.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const files = await SftpFiles.open(sftpTarget((server.address() as AddressInfo).port));
    await expect(files.list('a')).rejects.toThrow(/closed the connection|No response/);
    await expect(files.read('a')).rejects.toThrow();
    files.close();
  });

  it('of which the address cannot be read is an error that names no password', async () => {
    await expect(SftpFiles.open(sftpTarget(1, '%zz-secret'))).rejects.toThrow(
      'the SFTP server cannot be read',
    );
    await expect(SftpFiles.open(sftpTarget(1, '%zz-secret'))).rejects.not.toThrow('zz-secret');
  });
});

function s3Target(s3Endpoint: string): ReplicaTarget {
  const url = { reveal: () => 's3://bucket/x' };
  return { url, sshKeyFile: null, knownHostsFile: null, s3Endpoint, s3Region: null };
}

const says = (status: number, text: string) => (response: ServerResponse) =>
  void response.writeHead(status).end(text);
const error = (code: string): string => `<Error><Code>${code}</Code></Error>`;
const KEY = '<Contents><Key>x/e/00000000_00000000.wal.lz4</Key></Contents>';
const listing = (text: string): string => `<ListBucketResult>${text}</ListBucketResult>`;

describe('an S3 server', () => {
  beforeEach(() => {
    process.env['LITESTREAM_ACCESS_KEY_ID'] = 'an-id';
    process.env['LITESTREAM_SECRET_ACCESS_KEY'] = 'a-secret-of-the-bucket';
  });
  afterEach(() => {
    for (const name of ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'])
      for (const whose of ['LITESTREAM', 'AWS']) delete process.env[`${whose}_${name}`];
  });

  let requests = 0;
  async function s3(answer: (response: ServerResponse) => void): Promise<S3Files> {
    requests = 0;
    const server = createHttpServer((_, response) => {
      requests += 1;
      answer(response);
    });
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return S3Files.open(s3Target(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  }

  it('has no file only where it says so', async () => {
    expect(await (await s3(says(404, error('NoSuchKey')))).read('e/a')).toBeNull();
    for (const [status, text] of [
      [404, ''],
      [404, error('NoSuchBucket')],
      [404, '<html>NoSuchKey</html>'],
      [403, error('AccessDenied')],
      [301, ''],
    ] as const)
      await expect((await s3(says(status, text))).read('e/a')).rejects.toThrow(
        `the S3 server answers ${status}`,
      );
  });

  it('that is busy is asked again, a few times', async () => {
    let answers = 0;
    const files = await s3((response) => says((answers += 1) < 3 ? 503 : 200, error('SlowDown'))(response));
    expect((await files.read('e/a'))?.toString()).toContain('SlowDown');
    await expect((await s3(says(503, error('SlowDown')))).read('e/a')).rejects.toThrow('503 SlowDown');
    expect(requests).toBe(4);
  });

  it('lists what it lists, and nothing else is a listing', async () => {
    const good = await s3(says(200, listing(`<IsTruncated>false</IsTruncated>${KEY}`)));
    expect(await good.list('e')).toEqual(['00000000_00000000.wal.lz4']);
    for (const text of [
      '<html>a captive portal</html>',
      '',
      listing(KEY),
      listing(`<IsTruncated>true</IsTruncated>${KEY}`),
      listing(`<IsTruncated>true</IsTruncated>${KEY}<NextContinuationToken></NextContinuationToken>`),
      listing('<IsTruncated>true</IsTruncated><NextContinuationToken>on</NextContinuationToken>'),
    ]) {
      await expect((await s3(says(200, text))).list('e')).rejects.toThrow('the S3 server');
      expect(requests).toBe(1);
    }
    await expect((await s3(says(404, error('NoSuchBucket')))).list('e')).rejects.toThrow('NoSuchBucket');
  });

  it('that cannot be reached is an error without the password of its address', async () => {
    const files = await S3Files.open(s3Target('http://op:a-password@127.0.0.1:1'));
    await expect(files.list('e')).rejects.toThrow('no answer from the S3 server');
    await expect(files.list('e')).rejects.not.toThrow('a-password');
    const refused = await S3Files.open(s3Target(`http://127.0.0.1:${await freePort()}`));
    await expect(refused.list('e')).rejects.toThrow('no answer from the S3 server: ECONNREFUSED');
  });

  it('is read with the credentials that are set, and an empty one is none', async () => {
    process.env['LITESTREAM_SECRET_ACCESS_KEY'] = '';
    await expect(s3(says(200, ''))).rejects.toThrow('LITESTREAM_SECRET_ACCESS_KEY is not set');
    process.env['AWS_SECRET_ACCESS_KEY'] = 'another';
    await expect(s3(says(200, ''))).resolves.toBeInstanceOf(S3Files);
  });
});
