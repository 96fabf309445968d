import type { NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { sum } from './account-funds.ts';

/**
 * How long a balance may lack its history before the known part is recorded alone. Nodes index history with a
 * delay; lamports that no transaction moved (a validator's rewards can go to any account) never have one.
 */
const PATIENCE_MS = 20_000;
/** Maximum accounts remembered. */
const MAX_ACCOUNTS = 10_000;

interface Balance {
  readonly address: string;
  readonly lamports: bigint;
  /** Balance by the ledger. */
  readonly ledger: bigint;
}

interface Unexplained {
  readonly state: string;
  readonly since: number;
  /** Lamports on the account beyond the ledger's balance. */
  readonly surplus: bigint;
  /** The wait has ended and was logged. */
  readonly isTold: boolean;
}

/** Accounts whose balance differs from what their history explains, as last seen. */
export class UnexplainedBalances {
  readonly #deps: { readonly clock: Clock; readonly logger: Logger };
  readonly #accounts = new Map<string, Unexplained>();

  constructor(deps: { readonly clock: Clock; readonly logger: Logger }) {
    this.#deps = deps;
  }

  /** Accounts whose wait has ended, and the lamports they hold beyond the ledger. */
  get total(): { readonly accounts: number; readonly amount: bigint } {
    const reported = [...this.#accounts.values()].filter(({ isTold }) => isTold);
    return { accounts: reported.length, amount: sum(reported.map(({ surplus }) => surplus)) };
  }

  explained(address: string): void {
    this.#accounts.delete(address);
  }

  /** Whether an account's history may merely be delayed. After the wait, every new balance is logged. */
  isWaitedFor({ address, lamports, ledger }: Balance): boolean {
    const state = `${lamports}/${ledger}`;
    const now = this.#deps.clock.now();
    const before = this.#accounts.get(address);
    // A change of the balance does not restart the wait, because a trickle of lamports must not prolong it
    // for ever.
    const since = before?.since ?? now;
    const isTold = now - since >= PATIENCE_MS;
    const wasTold = before?.isTold === true && before.state === state;
    const surplus = lamports > ledger ? lamports - ledger : 0n;
    this.#accounts.set(address, { state, since, surplus, isTold });
    for (const oldest of this.#accounts.keys())
      if (this.#accounts.size > MAX_ACCOUNTS) this.#accounts.delete(oldest);
    if (isTold && !wasTold) {
      this.#deps.logger.error(
        { address, balance: lamports.toString(), ledger: ledger.toString() },
        'on-chain balance exceeds the transaction history of its account; only the explained part was credited',
      );
    }
    return !isTold;
  }

  /** Adds these accounts to the node's health. */
  withWarning<T extends NodeStatus>(status: T): T {
    const unexplained = this.total;
    if (unexplained.accounts === 0) return { ...status, unexplained };
    const amount = formatCoinAmount(unexplained.amount, 'SOL');
    const warning = `${unexplained.accounts} account(s) hold ${amount} SOL more than the node's history explains, which is not credited: point SOL at a node that has the whole history`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, unexplained };
  }
}
