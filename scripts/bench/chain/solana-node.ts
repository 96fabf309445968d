import { SvmNode } from '../../../test/_helpers/svm/node.ts';

/** A Solana node in a process of its own; tells its address, and makes as many blocks as it is told to. */
const node = await SvmNode.start();
node.advance(40);
process.on('message', (blocks: number) => {
  node.advance(blocks);
  process.send?.({ made: blocks });
});
process.send?.({ url: node.url });
process.once('SIGTERM', () => process.exit(0));
