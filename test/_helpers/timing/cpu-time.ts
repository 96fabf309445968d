/** CPU time of a process and of the processes that it started, from /proc (Linux). */
import { readFileSync, readdirSync } from 'node:fs';

/** USER_HZ, the unit of /proc: 100 on every architecture that Linux still runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  /** User and system time in ticks, with that of children that ended and were waited for. */
  readonly ticks: number;
}

function readTimes(pid: string): ProcessTimes | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces; behind it come state and parent, then the times as fields 11 to 14.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return null; // ended between listing and reading
  }
}

/** CPU seconds that a process, its children and theirs have used so far; 0 where there is no /proc. */
export function cpuSecondsOfTree(root: number): number {
  const times = new Map<number, ProcessTimes>();
  for (const name of listPids()) {
    const read = readTimes(name);
    if (read !== null) times.set(Number(name), read);
  }
  const inTree = (pid: number): boolean => {
    if (pid === root) return true;
    const parent = times.get(pid)?.parent;
    return parent !== undefined && parent !== 0 && inTree(parent);
  };
  let ticks = 0;
  for (const [pid, read] of times) if (inTree(pid)) ticks += read.ticks;
  return ticks / TICKS_PER_SECOND;
}

/** CPU milliseconds that this process used for the work: what else the machine does adds nothing to them. */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function listPids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
