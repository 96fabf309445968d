import { SvmNode } from '../../../test/_helpers/svm/node.ts';

/** A Solana node in its own process; sends its address, and produces blocks on request. */
const node = await SvmNode.start();
node.advance(40);
process.on('message', (blocks: number) => {
  node.advance(blocks);
  process.send?.({ made: blocks });
});
process.send?.({ url: node.url });
process.once('SIGTERM', () => process.exit(0));
