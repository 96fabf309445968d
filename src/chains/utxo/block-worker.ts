import { parentPort } from 'node:worker_threads';
import { BlockMemory } from './block-memory.ts';
import { ProofShare } from './block-proof.ts';
import { BlockRoom } from './block-room.ts';

/** A block that another thread reads, to be hashed. */
export interface ProofOrder {
  /** Where it is read; null where the one before was. */
  readonly room: Pick<BlockRoom, 'memory' | 'capacity'> | null;
  /** How many transactions it has. */
  readonly count: number;
}

let memory: BlockMemory | null = null;

/** Says so once it has nothing more to do with a block. An error ends the thread: whoever waits learns of it and tries again. */
parentPort?.on('message', ({ room, count }: ProofOrder) => {
  if (room !== null) memory = new BlockMemory(new BlockRoom(room.capacity, room.memory));
  if (memory === null) throw new Error('there is no block to be hashed');
  new ProofShare(memory, count).finish();
  parentPort?.postMessage('hashed');
});
