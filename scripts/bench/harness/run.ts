import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endChildrenOnSignal } from './interrupt.ts';
import type { Bench, Findings, Question } from './question.ts';
import { tableOf, writeResult } from './report.ts';

const FOLDER = new URL('../', import.meta.url);
const quick = process.env['BENCH_QUICK'] === '1';
/** Runs only when it is named: it takes an hour. */
const LONG = new Set(['soak']);
const { values, positionals: wanted } = parseArgs({
  options: { minutes: { type: 'string' } },
  allowPositionals: true,
});
const minutes = values.minutes === undefined ? null : Number(values.minutes);

/** Runs the benchmarks named on the command line, or all; a failure does not stop the others. */
async function main(): Promise<void> {
  const known = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`unknown benchmark ${unknown.join(', ')}; the benchmarks are ${known.join(', ')}`);
  for (const name of wanted.length === 0 ? known.filter((name) => !LONG.has(name)) : wanted) {
    const started = Date.now();
    try {
      const { question } = (await import(new URL(`${name}.ts`, FOLDER).href)) as { question: Question };
      const findings = await ask(question);
      process.stdout.write(`${tableOf(name, question, findings)}\n`);
      const path = writeResult(name, question, findings, quick);
      progress(`${name} took ${Math.round((Date.now() - started) / 1000)} s; written to ${path}`);
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(
        `${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    }
  }
}

/** Removed when the run ends, also after an error. */
const dirs = new Set<string>();

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'till-bench-'));
  dirs.add(dir);
  return dir;
}

function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  dirs.delete(dir);
}

function removeDirs(): void {
  for (const dir of dirs) removeDir(dir);
}

async function ask(question: Question): Promise<Findings> {
  const cleanUps: (() => Promise<void> | void)[] = [];
  const bench: Bench = {
    quick,
    minutes,
    progress,
    onEnd: (cleanUp) => void cleanUps.unshift(cleanUp),
    keptDir: newDir,
    newDir: () => {
      const dir = newDir();
      bench.onEnd(() => removeDir(dir));
      return dir;
    },
  };
  try {
    return await question.run(bench);
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

function progress(message: string): void {
  process.stderr.write(`  ${message}\n`);
}

endChildrenOnSignal(removeDirs);
try {
  await main();
} finally {
  removeDirs();
}
