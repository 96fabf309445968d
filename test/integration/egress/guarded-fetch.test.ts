import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardedFetch, type GuardedRequest } from '../../../src/egress/guarded-fetch.ts';
import { ConnectionPools } from '../../../src/egress/connection-pools.ts';
import { resolveHost, type Resolve } from '../../../src/egress/resolve.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function serve(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  const server: Server = createServer(listener);
  server.listen(port, host);
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function serveTcp(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function get(
  url: string,
  options: Partial<GuardedRequest> & {
    resolve?: Resolve;
    allowPrivate?: boolean;
    connections?: ConnectionPools;
  } = {},
) {
  const { resolve = resolveHost, allowPrivate = true, connections, ...request } = options;
  return guardedFetch(
    { allowPrivate, resolve, ...(connections === undefined ? {} : { connections }) },
    { method: 'GET', url, headers: {}, timeoutMs: 5_000, maxBodyBytes: 65_536, ...request },
  );
}

const here = async (): Promise<string[]> => ['127.0.0.1'];
const never = () => new Promise<string[]>(() => undefined);
const text = (body: Uint8Array) => Buffer.from(body).toString();

describe('guardedFetch', () => {
  it('connects to the IP address that the guard approved, with the host name of the URL', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const answer = await get(`http://shop.example:${port}/`, { resolve: async () => ['127.0.0.1'] });
    expect(answer).toMatchObject({ status: 200, bodyEnd: 'whole' });
    expect(text(answer.body)).toBe(`shop.example:${port}`);
  });

  it('sends the host name in SNI, so that certificates are checked against it', async () => {
    const hello = Promise.withResolvers<Buffer>();
    const port = await serveTcp((socket) => socket.once('data', (data: Buffer) => hello.resolve(data)));
    const answer = get(`https://shop.example:${port}/`, {
      resolve: async () => ['127.0.0.1'],
      timeoutMs: 300,
    });
    await expect(answer).rejects.toMatchObject({ kind: 'timeout' });
    expect((await hello.promise).toString('latin1')).toContain('shop.example');
  });

  it('resolves the host name once, so that DNS rebinding has no effect', async () => {
    const port = await serve((_request, response) => response.end('vetted'));
    let stolen = 0;
    await serve(
      (_request, response) => {
        stolen += 1;
        response.end('rebound');
      },
      '127.0.0.2',
      port,
    );
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    expect(text((await get(`http://rebind.example:${port}/`, { resolve })).body)).toBe('vetted');
    expect({ asked, stolen }).toEqual({ asked: 1, stolen: 0 });
  });

  it('opens no connection to an address that the guard refuses', async () => {
    let connections = 0;
    const port = await serveTcp(() => {
      connections += 1;
    });
    const hosts = ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost', 'shop.example'];
    for (const host of hosts) {
      const answer = get(`https://${host}:${port}/`, {
        allowPrivate: false,
        resolve: async (name, signal) => (name === 'localhost' ? resolveHost(name, signal) : ['127.0.0.1']),
      });
      await expect(answer).rejects.toMatchObject({ kind: 'refused' });
    }
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    expect(connections).toBeLessThanOrEqual(1);
  });

  it('resolves localhost without DNS', async () => {
    const port = await serve((_request, response) => response.end('here'));
    expect(text((await get(`http://localhost:${port}/`)).body)).toBe('here');
  });

  it('returns redirects instead of following them', async () => {
    let second = 0;
    const other = await serve(() => {
      second += 1;
    });
    const port = await serve((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end(),
    );
    expect((await get(`http://127.0.0.1:${port}/`)).status).toBe(302);
    expect(second).toBe(0);
  });

  it('truncates an endless body at the limit and disconnects', async () => {
    const hungUp = Promise.withResolvers<void>();
    const port = await serve((request, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (response.write('x'.repeat(16_384)));
      };
      response.on('drain', pour);
      response.on('error', () => undefined);
      request.socket.on('close', () => hungUp.resolve());
      pour();
    });
    const answer = await get(`http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 200, bodyEnd: 'capped' });
    expect(answer.body).toHaveLength(65_536);
    await hungUp.promise;
  });

  it('truncates a slow body at the time limit and returns the received part', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200).write('first');
    });
    const answer = await get(`http://127.0.0.1:${port}/`, { timeoutMs: 250 });
    expect(answer).toMatchObject({ status: 200, bodyEnd: 'timeout' });
    expect(text(answer.body)).toBe('first');
  });

  it('reports a body whose connection breaks', async () => {
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('part', () => request.socket.destroy());
    });
    expect((await get(`http://127.0.0.1:${port}/`)).bodyEnd).toBe('broken');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['never answers', () => undefined],
    ['sends header bytes slowly', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
    [
      'sends informational responses endlessly',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('disconnects at the time limit from a server that %s', async (_what, onSocket) => {
    const port = await serveTcp(onSocket);
    await expect(get(`http://127.0.0.1:${port}/`, { timeoutMs: 250 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it('counts the DNS lookup towards the time limit', async () => {
    await expect(get('http://slow.example/', { resolve: never, timeoutMs: 100 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets the connection', (socket) => void socket.resetAndDestroy()],
    ['disconnects after the request', (socket) => void socket.once('data', () => socket.end())],
    ['does not speak HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    [
      'sends huge headers',
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(99_999)}\r\n\r\n`),
    ],
  ])('reports a server that %s', async (_what, onSocket) => {
    const port = await serveTcp(onSocket);
    await expect(get(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/./) as string,
    });
  });

  it('reports a closed port, and distinguishes an abort from a timeout', async () => {
    await expect(get('http://127.0.0.1:1/')).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
    const gaveUp = new AbortController();
    const port = await serveTcp(() => gaveUp.abort());
    const answer = get(`http://127.0.0.1:${port}/`, { signal: gaveUp.signal });
    await expect(answer).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('aborts in the middle of a body without returning the received part', async () => {
    const gaveUp = new AbortController();
    const hungUp = Promise.withResolvers<void>();
    const port = await serve((request, response) => {
      request.socket.on('close', () => hungUp.resolve());
      response.writeHead(200).write('first', () => setTimeout(() => gaveUp.abort(), 50));
    });
    const answer = get(`http://127.0.0.1:${port}/`, { signal: gaveUp.signal });
    await expect(answer).rejects.toMatchObject({ kind: 'aborted' });
    await hungUp.promise;
  });
});

/** A server that answers byte by byte, and never stops to. */
async function serveDrop(first: string): Promise<number> {
  return serveTcp((socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => clearInterval(timer));
  });
}

describe('guardedFetch over keep-alive connections', () => {
  let connections: ConnectionPools;
  beforeEach(() => {
    connections = new ConnectionPools();
  });
  afterEach(async () => connections.close());

  it('ends each of many slow responses at its own time limit, however steadily bytes arrive', async () => {
    const port = await serveDrop('HTTP/1.1 200 OK\r\n\r\n');
    // Long enough that the headers of each have come on a busy machine.
    const limits = [2_000, 800, 1_400, 800];
    const started = performance.now();
    const ended: number[] = [];
    await Promise.all(
      limits.map(async (timeoutMs) => {
        const answer = await get(`http://127.0.0.1:${port}/`, { connections, timeoutMs });
        expect(answer).toMatchObject({ status: 200, bodyEnd: 'timeout' });
        expect(text(answer.body)).toMatch(/^x+$/);
        expect(performance.now() - started).toBeGreaterThanOrEqual(timeoutMs);
        ended.push(timeoutMs);
      }),
    );
    expect(ended).toEqual([800, 800, 1_400, 2_000]);
  });

  it('disconnects at the time limit while headers arrive slowly but steadily', async () => {
    const port = await serveDrop('HTTP/1.1 200 OK\r\nx-a: ');
    await expect(get(`http://127.0.0.1:${port}/`, { connections, timeoutMs: 150 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it('truncates an oversized response without affecting the next one', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/long') response.end('y'.repeat(200_000));
      else response.end('short');
    });
    const before = await get(`http://127.0.0.1:${port}/`, { connections });
    const long = await get(`http://127.0.0.1:${port}/long`, { connections });
    expect(long).toMatchObject({ status: 200, bodyEnd: 'capped' });
    expect(text(long.body)).toBe('y'.repeat(65_536));
    const after = await get(`http://127.0.0.1:${port}/`, { connections });
    expect([text(before.body), text(after.body)]).toEqual(['short', 'short']);
  });

  it('reports a connection that was reset within a body, and sends the next request over another one', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/good') response.end('good');
      else {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('part', () => request.socket.resetAndDestroy());
      }
    });
    const broken = await get(`http://127.0.0.1:${port}/bad`, { connections });
    expect(broken).toMatchObject({ status: 200, bodyEnd: 'broken' });
    expect(text((await get(`http://127.0.0.1:${port}/good`, { connections })).body)).toBe('good');
  });

  it('reads a response that arrives in many pieces, and headers with many values', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'x-many': ['a', 'b'] });
      response.write('one,', () => setTimeout(() => response.end('two'), 20));
    });
    const answer = await get(`http://127.0.0.1:${port}/`, { connections });
    expect(answer.headers['x-many']).toBe('a, b');
    expect(text(answer.body)).toBe('one,two');
  });

  it('reuses few connections for many requests', async () => {
    let opened = 0;
    const port = await serve((_request, response) => setTimeout(() => response.end('ok'), 5));
    const relay = await serveTcp((socket) => {
      opened += 1;
      const server = connect(port, '127.0.0.1');
      server.on('error', () => undefined);
      closers.push(() => server.destroy());
      socket.pipe(server).pipe(socket);
    });
    const some = async (): Promise<void> => {
      for (let n = 0; n < 10; n += 1) await get(`http://127.0.0.1:${relay}/`, { connections });
    };
    await Promise.all([some(), some(), some()]);
    // Three at once; the pool may open one more for each whose answer has only just come.
    expect(opened).toBeLessThanOrEqual(6);
  });

  it('abandons a connection that is never established, so that the next request does not wait for it', async () => {
    let sockets = 0;
    const port = await serveTcp((socket) => {
      sockets += 1;
      // The first never answers the greeting of TLS, the second one is at least quick to refuse it.
      if (sockets > 1) socket.end('no TLS here\r\n');
    });
    const url = `https://127.0.0.1:${port}/`;
    await expect(get(url, { connections, timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timeout' });
    await expect(get(url, { connections, timeoutMs: 4_000 })).rejects.toMatchObject({ kind: 'network' });
    expect(sockets).toBe(2);
  });

  it('accepts only certificates from a known authority for the host name of the URL', async () => {
    const { key, cert } = selfSigned(['shop.example']);
    let requests = 0;
    const server = createTlsServer({ key, cert }, (_request, response) => {
      requests += 1;
      response.end('secret');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const url = `https://shop.example:${port}/`;
    for (let n = 0; n < 2; n += 1) {
      await expect(get(url, { connections, resolve: here })).rejects.toMatchObject({
        kind: 'network',
        message: expect.stringMatching(/certificate/) as string,
      });
    }
    const known = getCACertificates();
    setDefaultCACertificates([...known, cert]);
    closers.push(() => setDefaultCACertificates(known));
    for (let n = 0; n < 2; n += 1)
      expect(text((await get(url, { connections, resolve: here })).body)).toBe('secret');
    const other = get(`https://other.example:${port}/`, { connections, resolve: here });
    await expect(other).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/altname|does not match/i) as string,
    });
    expect(requests).toBe(2);
  });
});
