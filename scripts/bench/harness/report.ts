import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { isMet, type Comparison, type Findings, type Question } from './question.ts';
import type { Spread } from './stats.ts';

const HEAD = ['figure', 'ours', 'baseline', 'must reach', 'ratio', ''];

/** The table of one benchmark as text, the ratio last. */
export function tableOf(name: string, question: Question, findings: Findings): string {
  const rows = [HEAD, ...findings.comparisons.map(row)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const notes = (findings.notes ?? []).map((note) => `  ${note}`);
  return [`${name}: ${question.asks}`, `  against ${question.against}`, '', ...lines, ...notes, ''].join(
    '\n',
  );
}

function row({ what, unit, ours, baseline, ratio, target }: Comparison): string[] {
  return [
    `${what} (${unit})`,
    show(ours),
    show(baseline),
    target === null ? '' : 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`,
    show(ratio),
    target === null ? '' : isMet(target, ratio.median) ? 'met' : 'MISSED',
  ];
}

function show({ median, min, max }: Spread): string {
  return `${short(median)} (${short(min)}–${short(max)})`;
}

function short(value: number): string {
  return value >= 1000 ? String(Math.round(value)) : value.toPrecision(3);
}

/** Writes the results and the environment to bench-results/NAME-TIME.json. */
export function writeResult(name: string, question: Question, findings: Findings, quick: boolean): string {
  const folder = 'bench-results';
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const path = join(folder, `${name}-${at.replaceAll(':', '-')}.json`);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  const { asks, against } = question;
  writeFileSync(
    path,
    `${JSON.stringify({ name, at, quick, machine, asks, against, ...findings }, null, 2)}\n`,
  );
  return path;
}
