import type { ChainAdapter } from '../domain/chain.ts';
import { formatCoinAmount } from '../domain/money.ts';
import { reconcile, type ReconcileDeps } from '../usecases/chain-sync/index.ts';
import { runCommand, printLine, TOOL_LOGGER, withProgress } from './command.ts';
import { checkCoins } from './daemon-data.ts';

const USAGE = `Compares the ledger with each coin's chain: every unspent output of Bitcoin and Litecoin by the node's
own set, and the balance of every address of Ethereum and Solana.

  tillctl reconcile [--data-dir DIR]

Run it while the daemon runs. It changes nothing. A pruned Bitcoin node takes some minutes. Exit code 1 when
anything differs, or could not be compared: then the differences are unknown, not none.`;

/** A running daemon reads a new block within seconds. */
const PATIENCE_MS = 20_000;

await runCommand(USAGE, (args) =>
  checkCoins(args, (deps, adapter) => {
    const logger = { ...TOOL_LOGGER, error: () => undefined };
    return compareOne({ ...deps, logger, patienceMs: PATIENCE_MS }, adapter);
  }),
);

async function compareOne(deps: ReconcileDeps, adapter: ChainAdapter): Promise<boolean> {
  const { coin } = adapter;
  const result = await withProgress(`${coin}: comparing`, async () => reconcile(deps, adapter));
  if (result === null) {
    printLine(`${coin}: has nothing to compare with`);
    return true;
  }
  if (result.kind === 'unknown') {
    printLine(`${coin}: unknown, ${result.reason}`);
    return false;
  }
  const amount = (atoms: bigint | null): string =>
    atoms === null ? 'nothing' : `${formatCoinAmount(atoms, coin)} ${coin}`;
  const { subjects, ledger, height, differences } = result;
  const what = adapter.funds?.model === 'accounts' ? 'addresses' : 'outputs';
  printLine(
    `${coin}: ${subjects} ${what}, ${amount(ledger)} unspent at height ${height}, ${differences.length} differences`,
  );
  if (!result.isComplete)
    printLine(`${coin}: the node cannot scan; money that the ledger does not know was not looked for`);
  for (const { subject, ledger: ours, chain } of differences) {
    printLine(`  ${subject}: ledger ${amount(ours)}, chain ${amount(chain)}`);
  }
  return differences.length === 0;
}
