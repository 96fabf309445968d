import { ChainError, type ChainAdapter } from '../domain/chain.ts';
import { isoTime } from '../domain/iso-time.ts';
import { formatCoinAmount } from '../domain/money.ts';
import {
  examineSends,
  type ExamineSendsDeps,
  confirmUnpaid,
  type SendFinding,
} from '../usecases/wallet/index.ts';
import { sendStatus } from '../store/sends/send-status.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { parseCall, runCommand, printLine } from './command.ts';
import { daemonData, checkCoins } from './daemon-data.ts';

const USAGE = `Shows the sends that no block has yet, offers the signed bytes of each to its node once more, and says what
it waits for. Nothing is signed, and nothing is written without --not-paid: the daemon retries in the same way, and
ends a send as failed once the chain proves that it can never confirm.

  tillctl sends [--data-dir DIR]
  tillctl sends --not-paid SEND_ID [--data-dir DIR]

After a restore from a backup, or after blocks were skipped, older sends that look impossible may nevertheless have
been paid by a later version or in such a block: their coins stay reserved. One that waits for a signature fails after
its expiry, once the node shows its coins unspent at a later block. --not-paid: you have checked the
destination of this send, and it was not paid. This is recorded; the daemon then fails the send, or signs it again
where transactions expire, by the same proof as any other. If it had been paid after all, it is paid twice.

Run it while the daemon runs. Exit code 1 when a send is not known to be in the network, unless its wallet has to sign
it.`;

await runCommand(USAGE, async (args) =>
  args.includes('--not-paid') ? sayNotPaid(args) : checkCoins(args, showSends),
);

async function sayNotPaid(args: string[]): Promise<number> {
  const options = { 'data-dir': { type: 'string' }, 'not-paid': { type: 'string' } } as const;
  const { values } = parseCall({ args, options });
  const id = values['not-paid'] ?? '';
  const { file } = await daemonData(values['data-dir']);
  const { db } = await openDatabase(file, { mayMigrate: false });
  try {
    await confirmUnpaid({ db, clock: { now: () => Date.now() } }, id);
    printLine(`${id}: noted as not paid; the daemon continues with it at its next retry`);
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
  printLine(`${adapter.coin}: ${findings.length === 0 ? 'no send waits' : `${findings.length} in no block`}`);
  for (const finding of findings) show(finding, adapter);
  return findings.every(({ state }) => state === 'in_network' || state === 'unsigned');
}

function show({ send, state, why }: SendFinding, adapter: ChainAdapter): void {
  const { coin } = adapter;
  const amount = `${formatCoinAmount(BigInt(send.amount), coin)} ${coin}`;
  const made = `made ${isoTime(send.createdAt)}, ${sendStatus(send)}, offered ${send.broadcasts} times`;
  printLine(`  ${send.id} (${send.purpose}): ${amount} to ${send.destination}, ${made}`);
  const next = adapter.expiry === undefined ? 'ends it as failed' : 'signs it again, or ends it as failed';
  printLine(`    ${why}${state === 'impossible' ? `: the daemon ${next}, at its next try` : ''}`);
}
