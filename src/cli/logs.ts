import { parseCall, runCommand, UsageError } from './command.ts';

const USAGE = `Shows the log of the service and follows it.

  tillctl logs [--lines N] [--no-follow]

With Docker: docker compose logs -f SERVICE.`;

const JOURNAL = '/usr/bin/journalctl';

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: { lines: { type: 'string', default: '100' }, 'no-follow': { type: 'boolean', default: false } },
  });
  if (!/^\d{1,7}$/.test(values.lines)) throw new UsageError('--lines must be a whole number');
  const follow = values['no-follow'] ? [] : ['--follow'];
  const words = [JOURNAL, '--unit', 'tilld', '--output', 'cat', '--lines', values.lines, ...follow];
  if (process.execve === undefined)
    throw new Error('this version of Node cannot replace the process by another program');
  process.execve(JOURNAL, words, process.env);
  return 1;
});
