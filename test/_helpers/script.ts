import { spawn } from 'node:child_process';

/**
 * Runs a piece of TypeScript in a process of its own, for what would end the test's: `src/` at the
 * beginning of its imports is the program's.
 */
export async function runScript(
  source: string,
  flags: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const text = source.replaceAll("'src/", `'${new URL('../../src/', import.meta.url).href}`);
  const child = spawn(process.execPath, [...flags, '--input-type=module-typescript', '--eval', text]);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString('utf8')));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, stdout, stderr };
}
