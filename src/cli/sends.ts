import { ChainError, type ChainAdapter } from '../domain/chain.ts';
import { isoTime } from '../domain/iso-time.ts';
import { formatCoinAmount } from '../domain/money.ts';
import { examineHeld, expireHeld, type HeldFinding } from '../usecases/approvals/index.ts';
import {
  examineSends,
  type ExamineSendsDeps,
  confirmUnpaid,
  type SendFinding,
} from '../usecases/wallet/index.ts';
import { sendStatus } from '../store/sends/send-status.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { parseCall, runCommand, printLine, UsageError } from './command.ts';
import { daemonData, checkCoins } from './daemon-data.ts';

const USAGE = `Shows the sends that no block has yet, offers the signed bytes of each to its node once more, and says what
it waits for. Nothing is signed, and nothing is written without --not-paid: the daemon retries in the same way, and
ends a send as failed once the chain proves that it can never confirm.

  tillctl sends [--data-dir DIR]
  tillctl sends --not-paid SEND_ID [--data-dir DIR]
  tillctl sends --expire SEND_ID [--data-dir DIR]

After a restore from a backup, or after blocks were skipped, older sends that look impossible may nevertheless have
been paid by a later version or in such a block: their coins stay reserved. One that waits for a signature fails after
its expiry, once the node shows its coins unspent at a later block. --not-paid: you have checked the
destination of this send, and it was not paid. This is recorded; the daemon then fails the send, or signs it again
where transactions expire, by the same proof as any other. If it had been paid after all, it is paid twice.

A send that waits for an approval, and was ordered before a restore, may have been approved and paid since. --expire: it
can no longer be approved, and the daemon ends it as expired.

Run it while the daemon runs. Exit code 1 when a send is not known to be in the network, unless its wallet has to sign
it or it waits for an approval, and when a restored one waits for an approval.`;

await runCommand(USAGE, async (args) =>
  args.some((arg) => /^--(not-paid|expire)(=|$)/.test(arg)) ? decide(args) : checkCoins(args, showSends),
);

async function decide(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseCall({ args, options: { 'data-dir': text, 'not-paid': text, expire: text } });
  const { 'not-paid': unpaid, expire } = values;
  if (unpaid !== undefined && expire !== undefined)
    throw new UsageError('--not-paid and --expire exclude each other');
  const { file } = await daemonData(values['data-dir']);
  const { db } = await openDatabase(file, { mayMigrate: false });
  const deps = { db, clock: { now: () => Date.now() } };
  try {
    if (expire === undefined) await confirmUnpaid(deps, unpaid ?? '');
    else await expireHeld(deps, expire);
    printLine(
      expire === undefined
        ? `${unpaid}: noted as not paid; the daemon continues with it at its next retry`
        : `${expire}: can no longer be approved; the daemon ends it as expired`,
    );
    return 0;
  } finally {
    await db.close();
  }
}

async function showSends(deps: ExamineSendsDeps, adapter: ChainAdapter): Promise<boolean> {
  try {
    // @throws on failure, or if the node serves another network, whose answers prove nothing about these
    // sends.
    await adapter.status();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    printLine(`${adapter.coin}: unknown, ${error.message}`);
    return false;
  }
  const findings = await examineSends(deps, adapter);
  const waiting = await examineHeld(deps, adapter);
  printLine(`${adapter.coin}: ${findings.length === 0 ? 'no send waits' : `${findings.length} in no block`}`);
  for (const finding of findings) show(finding, adapter);
  if (waiting.length > 0) printLine(`${adapter.coin}: ${waiting.length} above a limit`);
  for (const finding of waiting) showHeld(finding, adapter);
  return (
    findings.every(({ state }) => state === 'in_network' || state === 'unsigned') &&
    waiting.every(({ isRestored }) => !isRestored)
  );
}

function showHeld({ held, why }: HeldFinding, { coin }: ChainAdapter): void {
  const amount = `${formatCoinAmount(BigInt(held.amount), coin)} ${coin}`;
  printLine(`  ${held.id} (${held.kind}): ${amount} to ${held.destination}, made ${isoTime(held.createdAt)}`);
  printLine(`    ${why}`);
}

function show({ send, state, why }: SendFinding, adapter: ChainAdapter): void {
  const { coin } = adapter;
  const amount = `${formatCoinAmount(BigInt(send.amount), coin)} ${coin}`;
  const made = `made ${isoTime(send.createdAt)}, ${sendStatus(send)}, offered ${send.broadcasts} times`;
  printLine(`  ${send.id} (${send.purpose}): ${amount} to ${send.destination}, ${made}`);
  const next = adapter.expiry === undefined ? 'ends it as failed' : 'signs it again, or ends it as failed';
  printLine(`    ${why}${state === 'impossible' ? `: the daemon ${next}, at its next try` : ''}`);
}
