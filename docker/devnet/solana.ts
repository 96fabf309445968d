/** The Solana test node of docker compose: real execution, JSON-RPC on port 8899, a block every SOL_BLOCK_MS. */
import { SvmNode } from '../../test/_helpers/svm/node.ts';
import { numberFrom } from './environment.ts';

const PORT = 8899;

const node = await SvmNode.start({ host: '0.0.0.0', port: PORT });
node.tick(numberFrom('SOL_BLOCK_MS', 400));
process.stdout.write(`Solana test node: port ${PORT}, genesis ${node.ledger.genesisHash}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void node.stop().then(() => process.exit(0)));
}
