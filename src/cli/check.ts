import { sqliteProblems } from '../store/sqlite/files.ts';
import { parseCall, runCommand, printLine, warn } from './command.ts';
import { daemonData } from './daemon-data.ts';

const USAGE = `Checks the database file page by page: its structure, indexes, constraints and references.

  tillctl check [--data-dir DIR]

The daemon may be running or stopped: the command changes nothing. A file of 6 GB takes some two minutes, in which
the write-ahead log grows. Exit code 1 when the file is damaged.`;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({ args, options: { 'data-dir': { type: 'string' } } });
  const { file } = await daemonData(values['data-dir']);
  warn(`Checking ${file}`);
  const problems = sqliteProblems(file);
  if (problems.length === 0) {
    printLine(`${file} is sound`);
    return 0;
  }
  for (const problem of problems) printLine(problem);
  throw new Error(`${file} is damaged: ${problems.length} problems, ${problems[0]}`);
});
