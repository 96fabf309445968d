import type { PsbtAccount } from '../../../domain/psbt.ts';
import type { WatchAccount } from '../../../store/ledger/watch-accounts.ts';

/** `from` of a send out of the wallet whose keys the till has. */
export const OWN_WALLET = 'own';

/** The watched account that a send takes its money from. */
export interface WatchedSource {
  readonly account: WatchAccount;
  readonly psbts: PsbtAccount;
}
