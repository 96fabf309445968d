import type { NodeStatus } from '../../../domain/chain.ts';
import { formatCoinAmount } from '../../../domain/money.ts';

/** Consecutive checks with a shortfall before it is reported, and before it may be written off. */
const REPORT_AFTER = 3;
const WRITE_OFF_AFTER = 10;
/** Maximum accounts remembered; others are recorded by later checks. */
const MAX_REMEMBERED = 10_000;

interface Shortfall {
  readonly checks: number;
  readonly height: number;
  readonly lacking: bigint;
}

/**
 * Counts consecutive checks in which an account held less than the ledger says. A restart resets the count,
 * which can only delay a write-off.
 */
export class Shortfalls {
  readonly #accounts = new Map<string, Shortfall>();

  /** Counts a check that shows a shortfall; the same block again does not count. */
  seen(
    watchKey: string,
    height: number,
    lacking: bigint,
  ): { readonly checks: number; readonly isLong: boolean } {
    const known = this.#accounts.get(watchKey);
    const checks = known === undefined ? 1 : known.height === height ? known.checks : known.checks + 1;
    if (known !== undefined || this.#accounts.size < MAX_REMEMBERED) {
      this.#accounts.set(watchKey, { checks, height, lacking });
    }
    return { checks, isLong: checks >= WRITE_OFF_AFTER };
  }

  /** Ends a shortfall: the account holds the ledger's balance, or the difference was written off. */
  over(watchKey: string): void {
    this.#accounts.delete(watchKey);
  }

  /** Adds these accounts to the node's health. */
  withWarning(status: NodeStatus): NodeStatus {
    const reported = [...this.#accounts.values()].filter(({ checks }) => checks >= REPORT_AFTER);
    const unexplained = {
      accounts: reported.length,
      amount: reported.reduce((sum, each) => sum + each.lacking, 0n),
    };
    if (reported.length === 0) return { ...status, unexplained };
    const amount = formatCoinAmount(unexplained.amount, 'ETH');
    const warning = `${reported.length} account(s) hold less by this node than the ledger says, ${amount} ETH in all, and no transaction explains it: nothing is written off. Compare the addresses in the log with another node or an explorer, and point ETH at a node that returns correct balances`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, unexplained };
  }
}
