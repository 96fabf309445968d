import { SvmNode } from '../../../test/_helpers/svm/node.ts';

/** Blocks that are kept; a daemon reads the newest ones. */
const KEPT_BLOCKS = 2_000;

/**
 * A Solana node in its own process; sends its address, and produces blocks on request, or one every `tickMs`. A message
 * with an address and lamports pays it.
 */
export type SolanaStep =
  number | { readonly tickMs: number } | { readonly pay: string; readonly amount: string };

const node = await SvmNode.start({ keptBlocks: KEPT_BLOCKS });
node.advance(40);
process.on('message', (step: SolanaStep) => {
  if (typeof step === 'number') node.advance(step);
  else if ('tickMs' in step) node.tick(step.tickMs);
  else node.airdrop(step.pay, BigInt(step.amount));
  process.send?.({});
});
process.send?.({ url: node.url });
process.once('SIGTERM', () => process.exit(0));
