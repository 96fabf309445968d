import { listFreezes } from '../store/sends/wallet-freezes.ts';
import { unfreezeByOperator } from '../usecases/wallet/index.ts';
import { parseCall, printLine, runCommand } from './command.ts';
import { inFreezeDatabase } from './freeze-database.ts';

const USAGE = `Lifts a freeze, whether the daemon runs or not: waiting sends, refunds and claims continue.

  tillctl unfreeze              the freeze of every wallet; shops that were frozen one by one stay frozen
  tillctl unfreeze --shop ID    the freeze of one shop`;

await runCommand(USAGE, async (args) => {
  const options = { 'data-dir': { type: 'string' }, shop: { type: 'string' } } as const;
  const { values } = parseCall({ args, options });
  const { shop: merchantId = null } = values;
  return inFreezeDatabase(values['data-dir'], async ({ db, clock, noteInAudit }) => {
    const wasFrozen = await unfreezeByOperator({ db, clock }, merchantId);
    printLine(`${merchantId ?? 'every wallet'}: ${wasFrozen ? 'unfrozen' : 'was not frozen'}`);
    if (wasFrozen) await noteInAudit(merchantId, 'tillctl unfreeze');
    for (const { subject } of await listFreezes(db)) printLine(`still frozen: ${subject}`);
  });
});
