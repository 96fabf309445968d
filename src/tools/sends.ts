import { ChainError, type ChainAdapter } from '../domain/chain.ts';
import { isoTime } from '../domain/iso-time.ts';
import { formatCoinAmount } from '../domain/money.ts';
import { examineSends, type ExamineSendsDeps, type SendFinding } from '../usecases/wallet/examine-sends.ts';
import { runCommand, tell } from './command.ts';
import { lookAtCoins } from './daemon-data.ts';

const USAGE = `Shows the sends that no block has yet, offers the signed bytes of each to its node once more, and says what
it waits for. Nothing is signed, and nothing is written: the running daemon makes the same tries by itself, and
ends a send as failed once the chain proves that it can never confirm.

  scripts/sends [--data-dir DIR]

Run it beside the daemon. Exit code 1 when a send is not known to be in the network.`;

await runCommand(USAGE, (args) => lookAtCoins(args, showSends));

async function showSends(deps: ExamineSendsDeps, adapter: ChainAdapter): Promise<boolean> {
  try {
    // Trouble, or the node of another network, whose answers say nothing about these.
    await adapter.status();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    tell(`${adapter.coin}: unknown, ${error.message}`);
    return false;
  }
  const findings = await examineSends(deps, adapter);
  tell(`${adapter.coin}: ${findings.length === 0 ? 'no send waits' : `${findings.length} in no block`}`);
  for (const finding of findings) show(finding, adapter);
  return findings.every(({ standing }) => standing === 'in_network');
}

function show({ send, standing, why }: SendFinding, adapter: ChainAdapter): void {
  const { coin } = adapter;
  const amount = `${formatCoinAmount(BigInt(send.amount), coin)} ${coin}`;
  const made = `made ${isoTime(send.created_at)}, ${send.status}, offered ${send.broadcasts} times`;
  tell(`  ${send.id} (${send.purpose}): ${amount} to ${send.destination}, ${made}`);
  const next =
    adapter.planRenewal === undefined ? 'ends it as failed' : 'signs it anew, or ends it as failed';
  tell(`    ${why}${standing === 'impossible' ? `: the daemon ${next}, at its next try` : ''}`);
}
