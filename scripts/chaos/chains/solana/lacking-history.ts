import { refusal, result, type Call, type Reply } from '../../json-rpc.ts';
import type { Rewrite } from '../../mischief.ts';

type StatusResult = { readonly context: object; readonly value: ({ slot: number } | null)[] };

/** Responses of a node whose ledger lacks slots: accounts are complete, blocks and transactions are missing. */
export function lackingHistory(
  lacks: (slot: number) => boolean,
  blockError: { readonly code: number; readonly message: (slot: number) => string },
): Rewrite {
  return (call: Call, reply: Reply): Reply => {
    if (reply.result === undefined || reply.result === null) return reply;
    switch (call.method) {
      case 'getBlock': {
        const slot = Number(call.params[0]);
        return lacks(slot) ? refusal(call, blockError.code, blockError.message(slot)) : reply;
      }
      case 'getBlocks': {
        const slots = reply.result as number[];
        return slots.some(lacks)
          ? result(
              call,
              slots.filter((slot) => !lacks(slot)),
            )
          : reply;
      }
      case 'getSignaturesForAddress': {
        const entries = reply.result as { slot: number }[];
        return entries.some(({ slot }) => lacks(slot))
          ? result(
              call,
              entries.filter(({ slot }) => !lacks(slot)),
            )
          : reply;
      }
      case 'getTransaction':
        return lacks((reply.result as { slot: number }).slot) ? result(call, null) : reply;
      case 'getSignatureStatuses': {
        const { context, value } = reply.result as StatusResult;
        if (!value.some((status) => status !== null && lacks(status.slot))) return reply;
        return result(call, {
          context,
          value: value.map((status) => (status !== null && lacks(status.slot) ? null : status)),
        });
      }
      default:
        return reply;
    }
  };
}
