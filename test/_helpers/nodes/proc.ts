/** Facts about processes and sockets from /proc (Linux): who listens, who still lives. */
import { randomInt } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

const LOOPBACK_HEX = '0100007F';
const LISTEN_STATE = '0A';

/** Below it are the defaults of nodes, and the ports that a validator takes for itself. */
const LOWEST_PORT = 12_000;
const PORT_TRIES = 100;
const givenOut = new Set<number>();

/**
 * A port on 127.0.0.1 that is free, and likely to stay so: below the range that the kernel uses for outgoing
 * connections, which could occupy it before the server listens, or while a restarted server is down.
 */
export async function freePort(): Promise<number> {
  const end = firstEphemeralPort();
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(LOWEST_PORT, end);
    if (!givenOut.has(port) && (await isFree(port))) {
      givenOut.add(port);
      return port;
    }
  }
  throw new Error(`no free port found from ${LOWEST_PORT} to ${end}`);
}

function firstEphemeralPort(): number {
  const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/);
  // A machine may let them begin as low as it likes: then there is no better place than another.
  return Math.max(Number(first), LOWEST_PORT + 10_000);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether the process with this pid is the one that listens on 127.0.0.1:port. */
export function listensOn(pid: number, port: number): boolean {
  const portHex = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set(
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => row[1] === `${LOOPBACK_HEX}:${portHex}` && row[3] === LISTEN_STATE)
      .map((row) => `socket:[${row[9]}]`),
  );
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((name) => {
    try {
      return inodes.has(readlinkSync(`${directory}/${name}`));
    } catch {
      return false; // closed between listing and reading
    }
  });
}

/**
 * What tells one process from a later one with the same pid: its start time in clock ticks.
 * Null when no such process runs (a zombie counts as ended).
 */
export function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
