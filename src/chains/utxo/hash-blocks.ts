import type { Service } from '../../thread/serve.ts';
import { BlockMemory } from './block-memory.ts';
import { ProofShare } from './block-proof.ts';
import { BlockRoom } from './block-room.ts';

/** To hash the block that another thread reads in a room, which says how many transactions it has. */
export interface ProofOrder {
  readonly room: Pick<BlockRoom, 'memory' | 'capacity'>;
}

/** Hashes blocks in a thread, and is done with each once it does not look into the room any more: see BlockProver. */
export function hashBlocks(): Service<ProofOrder, null> {
  let last: { readonly order: ProofOrder; readonly memory: BlockMemory } | null = null;
  return {
    serve(order) {
      const { capacity, memory } = order.room;
      if (last?.order !== order) {
        last = { order, memory: new BlockMemory(new BlockRoom(capacity, memory)) };
      }
      new ProofShare(last.memory, last.memory.room.count).finish();
      return null;
    },
  };
}
