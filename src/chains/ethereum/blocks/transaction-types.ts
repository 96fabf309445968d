import type { UnknownTransactionTypes } from '../../shared/unknown-transaction-types.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** The newest transaction type (EIP-2718) that this program knows: 4 sets an account's code (EIP-7702). */
export const NEWEST_TYPE = 4;

/** Wraps the client to record every transaction of an unknown type in the blocks it reads. */
export function recordTransactionTypes(client: NodeClient, novelties: UnknownTransactionTypes): NodeClient {
  return {
    ...client,
    blockAt: async (height) => {
      const block = await client.blockAt(height);
      for (const { type } of block?.transactions ?? []) {
        const number = typeof type === 'string' ? Number(type) : 0;
        if (!(number <= NEWEST_TYPE)) novelties.record(number, height);
      }
      return block;
    },
  };
}
