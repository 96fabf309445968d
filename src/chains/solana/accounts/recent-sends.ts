import type { LandedTransaction } from '../blocks/own-transactions.ts';

/** How long the history of a send's accounts is read if the send is not found, ms. */
const SENT_MS = 5 * 60_000;

interface RecentSend {
  readonly txid: string;
  /** Time of the last broadcast, ms. */
  readonly at: number;
  /** Slot of the transaction; null until a scan found it. */
  readonly slot: number | null;
  /** Whether a scan after that one no longer reported it as new. */
  readonly isRecorded: boolean;
}

/**
 * Accounts of recent sends. Their history is read regardless of their balance, which another transfer may have
 * restored meanwhile, until the ledger has recorded the send and its block is final.
 */
export class RecentSends {
  readonly #byAccount = new Map<string, RecentSend>();

  expect(accounts: readonly string[], txid: string, now: number): void {
    for (const account of accounts) {
      const known = this.#byAccount.get(account);
      const isSame = known?.txid === txid;
      this.#byAccount.set(
        account,
        isSame ? { ...known, at: now } : { txid, at: now, slot: null, isRecorded: false },
      );
    }
  }

  get accounts(): readonly string[] {
    return [...this.#byAccount.keys()];
  }

  has(account: string): boolean {
    return this.#byAccount.has(account);
  }

  /** @param news transactions that the ledger lacks, of a scan that read all these accounts */
  scanned(news: ReadonlyMap<string, LandedTransaction>): void {
    for (const [account, send] of this.#byAccount) {
      const found = news.get(send.txid);
      if (found !== undefined) this.#byAccount.set(account, { ...send, slot: found.slot, isRecorded: false });
      else if (send.slot !== null) this.#byAccount.set(account, { ...send, isRecorded: true });
    }
  }

  /** Forgets recorded sends up to a final slot, and those not found for a long time. */
  forget(finalized: number, now: number): void {
    for (const [account, { at, slot, isRecorded }] of this.#byAccount) {
      const isSettled = isRecorded && slot !== null && slot <= finalized;
      if (isSettled || Math.abs(now - at) > SENT_MS) this.#byAccount.delete(account);
    }
  }
}
