import type { NodeStatus } from '../../../domain/chain.ts';
import { formatCoinAmount } from '../../../domain/money.ts';

/** How often in a row an account must be seen to lack money before that is told, and before it may be written off. */
const TELL_AFTER = 3;
const WRITE_OFF_AFTER = 10;
/** Accounts whose shortfall is remembered; of more, later looks tell. */
const MAX_REMEMBERED = 10_000;

interface Shortfall {
  readonly looks: number;
  readonly height: number;
  readonly lacking: bigint;
}

/**
 * Accounts that held less than known when last looked at: how often in a row. Lost at a restart, which only makes
 * the looks begin anew: nothing is written off sooner by it.
 */
export class Shortfalls {
  readonly #accounts = new Map<string, Shortfall>();

  /** One more look at an account that lacks money; the same block again is none. */
  seen(
    watchKey: string,
    height: number,
    lacking: bigint,
  ): { readonly looks: number; readonly isLong: boolean } {
    const known = this.#accounts.get(watchKey);
    const looks = known === undefined ? 1 : known.height === height ? known.looks : known.looks + 1;
    if (known !== undefined || this.#accounts.size < MAX_REMEMBERED) {
      this.#accounts.set(watchKey, { looks, height, lacking });
    }
    return { looks, isLong: looks >= WRITE_OFF_AFTER };
  }

  /** The account holds what is known, or what it lacked is written off. */
  over(watchKey: string): void {
    this.#accounts.delete(watchKey);
  }

  /** The node's health with these accounts. */
  withWarning(status: NodeStatus): NodeStatus {
    const told = [...this.#accounts.values()].filter(({ looks }) => looks >= TELL_AFTER);
    const unexplained = { accounts: told.length, amount: told.reduce((sum, each) => sum + each.lacking, 0n) };
    if (told.length === 0) return { ...status, unexplained };
    const amount = formatCoinAmount(unexplained.amount, 'ETH');
    const warning = `${told.length} account(s) hold less by this node than the ledger says, ${amount} ETH in all, and no transaction explains it: nothing is written off. Compare the addresses in the log with another node or an explorer, and point ETH at a node that tells balances right`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, unexplained };
  }
}
