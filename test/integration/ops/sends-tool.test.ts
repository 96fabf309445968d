/** `tillctl sends`: what the operator decides about sends that an older copy of the database left open. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

let till: Till;
beforeAll(async () => {
  till = await Till.start();
});
afterAll(async () => till?.end());

it.each([
  [['--expire', 'snd_unknown'], 1, 'no send snd_unknown waits for an approval'],
  [['--not-paid', 'snd_unknown'], 1, 'send snd_unknown does not exist'],
  [['--not-paid', 'snd_a', '--expire', 'snd_b'], 2, '--not-paid and --expire exclude each other'],
  [['--expire='], 1, 'no send  waits for an approval'],
])('tillctl sends %j exits with %i and says why', async (args, code, why) => {
  const done = await runTool('tillctl', ['sends', ...args, '--data-dir', till.dataDir]);
  expect(done).toMatchObject({ code, stderr: expect.stringContaining(why) as string });
});
