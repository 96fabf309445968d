import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { HostKeyCheck, HostKeyError, parseKnownHosts } from './host-key-check.ts';

const SSH_PORT = 22;
const CONNECT_TIMEOUT_MS = 10_000;

/** A port of this machine that leads to an SFTP server, as long as that has a known host key. */
export interface SftpGate {
  /** The server's URL, by way of the gate. */
  readonly url: string;
  close(): void;
}

/**
 * Opens a gate: Litestream 0.3 takes any host key, so that whoever stands between could read password and database.
 * @param onProblem is called with why a connection was not let through
 * @throws {HostKeyError} for a file that is none
 */
export async function openSftpGate(
  url: string,
  knownHostsFile: string,
  onProblem: (why: string) => void,
): Promise<SftpGate> {
  const known = parseKnownHosts(readFileSync(knownHostsFile, 'utf8'));
  const server = new URL(url);
  const to = {
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? SSH_PORT : Number(server.port),
  };
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    const upstream = connect(to);
    const end = (why: string | null): void => {
      if (why !== null && !client.destroyed) onProblem(why);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
    }
    client.once('error', () => end(null)).once('close', () => end(null));
    upstream.once('error', (error) => end(`no answer from the SFTP server: ${error.message}`));
    upstream.once('close', () => client.end());
    passChecked(upstream, client, { check: new HostKeyCheck(known), refuse: end });
    client.pipe(upstream);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  server.hostname = '127.0.0.1';
  server.port = String((gate.address() as AddressInfo).port);
  return {
    url: server.href,
    close: () => {
      gate.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Checked {
  readonly check: HostKeyCheck;
  readonly refuse: (why: string) => void;
}

function passChecked(upstream: Socket, client: Socket, { check, refuse }: Checked): void {
  upstream.setTimeout(CONNECT_TIMEOUT_MS, () => refuse('no answer from the SFTP server'));
  upstream.on('data', (chunk) => {
    upstream.setTimeout(0);
    try {
      if (!client.write(check.take(chunk))) {
        upstream.pause();
        client.once('drain', () => upstream.resume());
      }
    } catch (error) {
      if (!(error instanceof HostKeyError)) throw error;
      refuse(error.message);
    }
  });
}
