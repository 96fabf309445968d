/** Facts about processes and sockets from /proc (Linux): who listens, who still lives. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

const LOOPBACK_HEX = '0100007F';
const LISTEN_STATE = '0A';

/** A port on 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
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
