/**
 * The Solana test node of docker compose: real execution, JSON-RPC on port 8899, a block every SOL_BLOCK_MS.
 * Its chain is kept in /data across restarts.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { SvmNode, type SvmSnapshot } from '../../test/_helpers/svm/node.ts';
import { numberFrom } from './environment.ts';

const PORT = 8899;
const STATE = '/data/state';
/** Some hours of blocks; a daemon that was off for longer starts over. */
const KEPT_BLOCKS = 20_000;
const SAVE_MS = 15_000;

/** The state of an earlier run; an unreadable file means a new chain, and is logged. */
function saved(): { from?: SvmSnapshot } {
  try {
    return { from: deserialize(readFileSync(STATE)) as SvmSnapshot };
  } catch (error) {
    process.stdout.write(`a new chain (${error instanceof Error ? error.message : String(error)})\n`);
    return {};
  }
}

const node = await SvmNode.start({ host: '0.0.0.0', port: PORT, keptBlocks: KEPT_BLOCKS, ...saved() });

/** All or nothing, because a partial file would lose the chain. */
function save(): void {
  writeFileSync(`${STATE}.new`, serialize(node.snapshot()), { mode: 0o600 });
  renameSync(`${STATE}.new`, STATE);
}

save();
node.tick(numberFrom('SOL_BLOCK_MS', 400));
setInterval(save, SAVE_MS);
process.stdout.write(
  `Solana test node: port ${PORT}, slot ${node.ledger.top.slot}, genesis ${node.ledger.genesisHash}\n`,
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void node.stop().then(() => {
      save();
      process.exit(0);
    });
  });
}
