import { isoTime } from '../domain/iso-time.ts';
import { ALL_WALLETS, listFreezes, type WalletFreeze } from '../store/sends/wallet-freezes.ts';
import { freezeByOperator } from '../usecases/wallet/index.ts';
import { parseCall, printLine, runCommand, UsageError } from './command.ts';
import { inFreezeDatabase } from './freeze-database.ts';

const USAGE = `Freezes wallets in an emergency, whether the daemon runs or not: nothing is signed for them until they
are unfrozen, except cancellations. Signed transactions may still be mined. Payments are still accepted.

  tillctl freeze [--shop ID] [--reason TEXT]     one shop, or without --shop every wallet of this server
  tillctl freeze --list                          what is frozen now, by whom and why

tillctl unfreeze lifts it. The owner of a shop sees the reason, and cannot lift a freeze of every wallet.`;

const REASON_MAX = 200;

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: {
      'data-dir': { type: 'string' },
      shop: { type: 'string' },
      reason: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const { shop: merchantId = null, reason = null } = values;
  if (reason !== null && (reason.trim() === '' || reason.length > REASON_MAX))
    throw new UsageError(`--reason must have 1 to ${REASON_MAX} characters`);
  return inFreezeDatabase(values['data-dir'], async ({ db, clock, noteInAudit }) => {
    if (values.list) {
      const freezes = await listFreezes(db);
      if (freezes.length === 0) printLine('no wallet is frozen');
      for (const freeze of freezes) printLine(formatLine(freeze));
      return;
    }
    const isNew = await freezeByOperator({ db, clock }, { merchantId, reason });
    printLine(`${merchantId ?? 'every wallet'}: ${isNew ? 'frozen' : 'was frozen already'}`);
    if (isNew) await noteInAudit(merchantId, 'tillctl freeze');
  });
});

function formatLine({ subject, frozenAt, frozenBy, reason }: WalletFreeze): string {
  const whose = subject === ALL_WALLETS ? 'every wallet' : subject;
  return `${whose}: since ${isoTime(frozenAt)} by ${frozenBy}${reason === null ? '' : `: ${reason}`}`;
}
