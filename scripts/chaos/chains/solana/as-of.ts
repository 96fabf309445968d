import { COMMITMENTS, type Commitment, type Ledger } from '../../../../test/_helpers/svm/ledger.ts';
import { refusal, result, type Call, type Reply } from '../../json-rpc.ts';
import type { Rewrite } from '../../mischief.ts';
import { LedgerView } from './ledger-view.ts';

const BLOCKHASH_LIFETIME = 150;
const CONTEXT_NOT_REACHED = -32016;
const BLOCK_NOT_AVAILABLE = -32004;

interface Config {
  readonly commitment?: Commitment;
  readonly minContextSlot?: number;
}

interface InContext {
  readonly context: { readonly slot: number };
  readonly value: unknown;
}

type Handler = (view: LedgerView, call: Call, reply: Reply) => Reply;

/** Responses of a backend that has processed slots only up to a limit. */
export function asOf(ledger: Ledger, lastSlot: number): Rewrite {
  const view = new LedgerView(ledger, lastSlot);
  return (call, reply) => {
    const handler = HANDLERS[call.method];
    if (handler === undefined || reply.result === undefined) return reply;
    const { commitment = 'finalized', minContextSlot = 0 } = configOf(call);
    const { slot } = view.tip(commitment);
    if (minContextSlot > slot) {
      return refusal(call, CONTEXT_NOT_REACHED, 'Minimum context slot has not been reached', {
        contextSlot: slot,
      });
    }
    return handler(view, call, reply);
  };
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  getSlot: (view, call) => result(call, tipOf(view, call).slot),
  getBlockHeight: (view, call) => result(call, tipOf(view, call).height),
  getEpochInfo: (view, call, reply) => {
    const { slot, height } = tipOf(view, call);
    return result(call, {
      ...(reply.result as object),
      absoluteSlot: slot,
      slotIndex: slot,
      blockHeight: height,
    });
  },
  getLatestBlockhash: (view, call) => {
    const { blockhash, height } = tipOf(view, call);
    return inContext(view, call, { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFETIME });
  },
  isBlockhashValid: (view, call) => {
    const height = view.heightOf(String(call.params[0]));
    const isValid = height !== null && tipOf(view, call).height <= height + BLOCKHASH_LIFETIME;
    return inContext(view, call, isValid);
  },
  getBlocks: (view, call, { result: slots }) => {
    const last = tipOf(view, call).slot;
    return result(
      call,
      (slots as number[]).filter((slot) => slot <= last),
    );
  },
  getBlock: (view, call, reply) => {
    const slot = Number(call.params[0]);
    if (slot <= view.tip('confirmed').slot) return reply;
    return refusal(call, BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);
  },
  getBalance: (view, call) => {
    const { commitment = 'finalized' } = configOf(call);
    return inContext(view, call, Number(view.lamports(String(call.params[0]), commitment)));
  },
  getAccountInfo: (view, call, reply) =>
    inContext(view, call, account(view, call, [String(call.params[0]), (reply.result as InContext).value])),
  getMultipleAccounts: (view, call, reply) => {
    const shown = (reply.result as InContext).value as unknown[];
    const addresses = call.params[0] as string[];
    return inContext(
      view,
      call,
      addresses.map((address, index) => account(view, call, [address, shown[index]])),
    );
  },
  getSignaturesForAddress: (view, call, { result: entries }) => {
    const last = tipOf(view, call).slot;
    return result(
      call,
      (entries as { slot: number }[])
        .filter(({ slot }) => slot <= last)
        .map((entry) => ({ ...entry, confirmationStatus: view.commitmentOf(entry.slot) })),
    );
  },
  getTransaction: (view, call, reply) => {
    const found = reply.result as { slot: number } | null;
    return found !== null && found.slot > tipOf(view, call).slot ? result(call, null) : reply;
  },
  getSignatureStatuses: (view, call, reply) => {
    const top = view.tip('processed').slot;
    const value = ((reply.result as InContext).value as ({ slot: number } | null)[]).map((status) => {
      if (status === null || status.slot > top) return null;
      const confirmationStatus = view.commitmentOf(status.slot);
      const confirmations = confirmationStatus === 'finalized' ? null : top - status.slot;
      return { ...status, confirmationStatus, confirmations };
    });
    return result(call, { context: { slot: top }, value });
  },
};

/** The options, at any position among the parameters. */
function configOf(call: Call): Config {
  const options = call.params.find(
    (param) => typeof param === 'object' && param !== null && !Array.isArray(param),
  ) as Config | undefined;
  if (options?.commitment !== undefined && !COMMITMENTS.includes(options.commitment)) return {};
  return options ?? {};
}

function tipOf(view: LedgerView, call: Call) {
  return view.tip(configOf(call).commitment ?? 'finalized');
}

function inContext(view: LedgerView, call: Call, value: unknown): Reply {
  return result(call, { context: { slot: tipOf(view, call).slot }, value });
}

/** The account as the node returns it, with the lamports at that slot. */
function account(view: LedgerView, call: Call, [address, shown]: [string, unknown]): unknown {
  const lamports = Number(view.lamports(address, configOf(call).commitment ?? 'finalized'));
  if (lamports === 0) return null;
  const plain = {
    data: ['', 'base64'],
    executable: false,
    owner: '1'.repeat(32),
    rentEpoch: 0,
    space: 0,
  };
  return { ...(shown ?? plain), lamports };
}
