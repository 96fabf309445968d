import type { Service } from '../../thread/serve.ts';
import { BlockMemory } from './block-memory.ts';
import { ProofShare } from './block-proof.ts';
import { BlockRoom } from './block-room.ts';

/** A block that another thread reads, to be hashed. */
export interface ProofOrder {
  readonly number: number;
  /** Where it is read; null where the one before was. */
  readonly room: Pick<BlockRoom, 'memory' | 'capacity'> | null;
  /** How many transactions it has. */
  readonly count: number;
}

/** Hashes blocks in a thread, and says each one's number once it has nothing more to do with it: see BlockProver. */
export function hashBlocks(): Service<ProofOrder, number> {
  let memory: BlockMemory | null = null;
  return {
    serve({ number, room, count }) {
      if (room !== null) memory = new BlockMemory(new BlockRoom(room.capacity, room.memory));
      if (memory === null) throw new Error('there is no block to be hashed');
      new ProofShare(memory, count).finish();
      return number;
    },
  };
}
