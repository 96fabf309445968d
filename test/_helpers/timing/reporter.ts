import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 20;

interface FileTimes {
  readonly path: string;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly tests: number;
}

/** Prints which files and folders the time of a run went to: seconds by the clock, and of CPU. */
export default class TimingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(readFileTimes);
    if (files.length < 2) return;
    const byFolder = Map.groupBy(files, ({ path }) => folderName(path));
    const folders = [...byFolder].map(([path, inFolder]) => sumTimes(path, inFolder));
    printTable('Slowest files', files.toSorted(byCost).slice(0, SLOWEST));
    printTable('Folders', [...folders.toSorted(byCost), sumTimes('all', files)]);
  }
}

function readFileTimes(module: TestModule): FileTimes {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return {
    path: module.relativeModuleId,
    wallSeconds: (setupDuration + collectDuration + duration) / 1000,
    cpuSeconds: module.meta().cpuSeconds ?? 0,
    tests: [...module.children.allTests()].length,
  };
}

/** The first three parts of the path at most: test/integration/wallet, test/web. */
function folderName(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 3).join('/');
}

function sumTimes(path: string, files: readonly FileTimes[]): FileTimes {
  const sum = (of: (file: FileTimes) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    path,
    wallSeconds: sum(({ wallSeconds }) => wallSeconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    tests: sum(({ tests }) => tests),
  };
}

function byCost(one: FileTimes, other: FileTimes): number {
  return other.cpuSeconds - one.cpuSeconds || other.wallSeconds - one.wallSeconds;
}

function printTable(title: string, rows: readonly FileTimes[]): void {
  const lines = rows.map(({ path, cpuSeconds, wallSeconds, tests }) =>
    [
      cpuSeconds.toFixed(1).padStart(8),
      wallSeconds.toFixed(1).padStart(8),
      String(tests).padStart(6),
      ` ${path}`,
    ].join(' '),
  );
  console.log(['', `${title}:`, '   CPU s  clock s  tests  path', ...lines].join('\n'));
}
