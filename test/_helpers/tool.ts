import { spawn, type ChildProcess } from 'node:child_process';
import { inheritedEnv, programFile } from './program.ts';

export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningTool {
  readonly child: ChildProcess;
  readonly done: Promise<ToolResult>;
}

/** Starts a command of the operator as its script does, with the cheap settings of test tills. */
export function startTool(
  tool:
    | 'backup'
    | 'tillctl'
    | 'check'
    | 'promote'
    | 'replicate'
    | 'restore'
    | 'seed'
    | 'reconcile'
    | 'rescan'
    | 'sends'
    | 'users'
    | 'listen',
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; input?: string } = {},
): RunningTool {
  const child = spawn(process.execPath, [programFile(tool), ...args], {
    env: { ...inheritedEnv(), TILLD_CONFIG: 'test/_helpers/till.yaml', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString('utf8')));
  const done = new Promise<ToolResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, done };
}

export async function runTool(...call: Parameters<typeof startTool>): Promise<ToolResult> {
  return startTool(...call).done;
}
