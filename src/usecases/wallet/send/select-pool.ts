import { accountsPerSend } from '../../../domain/accounts.ts';
import {
  outputKey,
  type FeeQuote,
  type Fund,
  type NonceSequence,
  type OutputRef,
} from '../../../domain/chain.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import { loadNonceSequence } from '../../../store/sends/nonce-sequences.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { nextChangeAddress } from '../../addresses/index.ts';
import { spendableChange, type SpendableChange } from '../lifecycle/ancestry.ts';
import { chosenFunds } from './chosen-funds.ts';
import { drawableFunds, queuedFunds } from './drawable-funds.ts';
import type { SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';

/** The funds an order may draw on. */
export interface Pool {
  readonly confirmed: readonly Fund[];
  readonly change: SpendableChange;
  /** On chains of whole accounts: the same with the expected remainder of the sends in flight, if any. */
  readonly queued: readonly Fund[] | null;
  readonly changeAddress: string;
  readonly nonceSequence: NonceSequence | undefined;
  /** Whether a send spends single outputs. */
  readonly isByOutput: boolean;
}

export async function selectPool(
  db: Db,
  deps: { readonly deriver: AddressDeriver },
  order: SendOrder,
  quote: FeeQuote,
): Promise<Pool> {
  const changeAddress = await nextChangeAddress(db, deps, order);
  const { inputs = null } = order;
  if (inputs !== null) return choosePool(db, order, { inputs, changeAddress });
  const from = sendsFromOneAddress(order) ? changeAddress : undefined;
  const confirmed = await drawableFunds(
    db,
    { ...order, from },
    { nodeBalances: quote.balances, changeAddress },
  );
  const fromNonce = quote.account?.nonce ?? 0;
  const nonceSequence =
    from === undefined ? undefined : await loadNonceSequence(db, { ...order, address: from, fromNonce });
  const isByOutput = from === undefined && accountsPerSend(order) === null;
  const change = isByOutput ? await spendableChange(db, order) : { funds: [], ancestry: new Map() };
  const { only } = order;
  const queued = await queuedFunds(db, order, confirmed);
  const isAllowed = ({ ref }: Fund): boolean => only === undefined || only.has(outputKey(ref));
  return {
    confirmed: confirmed.filter(isAllowed),
    change: { ...change, funds: change.funds.filter(isAllowed) },
    queued,
    changeAddress,
    nonceSequence,
    isByOutput,
  };
}

async function choosePool(
  db: Db,
  order: SendOrder,
  { inputs, changeAddress }: { readonly inputs: readonly OutputRef[]; readonly changeAddress: string },
): Promise<Pool> {
  const { funds, ancestry } = await chosenFunds(db, order, inputs);
  const change = { funds: [], ancestry };
  // All of them fit into one transaction.
  return {
    confirmed: funds,
    change,
    queued: null,
    changeAddress,
    nonceSequence: undefined,
    isByOutput: false,
  };
}
