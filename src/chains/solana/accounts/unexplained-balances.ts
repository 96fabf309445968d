import type { NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { sum } from './account-funds.ts';

/**
 * How long a balance may lack its history before what is known is recorded without the rest. Nodes index history a
 * moment later; lamports that no transaction moved (a validator's rewards can go to any account) never get one.
 */
const PATIENCE_MS = 20_000;
/** Accounts remembered. */
const MAX_ACCOUNTS = 10_000;

interface Balance {
  readonly address: string;
  readonly lamports: bigint;
  /** What the account holds by the ledger. */
  readonly ledger: bigint;
}

interface Unexplained {
  readonly state: string;
  readonly since: number;
  /** Lamports on the account above what the ledger says. */
  readonly surplus: bigint;
  /** It is not waited for any more, and the log was told. */
  readonly isTold: boolean;
}

/** Accounts that hold something else than their history explains, as last seen. */
export class UnexplainedBalances {
  readonly #deps: { readonly clock: Clock; readonly logger: Logger };
  readonly #accounts = new Map<string, Unexplained>();

  constructor(deps: { readonly clock: Clock; readonly logger: Logger }) {
    this.#deps = deps;
  }

  /** Those that are not waited for any more, and what they hold beyond the ledger, lamports. */
  get total(): { readonly accounts: number; readonly amount: bigint } {
    const told = [...this.#accounts.values()].filter(({ isTold }) => isTold);
    return { accounts: told.length, amount: sum(told.map(({ surplus }) => surplus)) };
  }

  explained(address: string): void {
    this.#accounts.delete(address);
  }

  /** Whether the history of an account may only be late. Once it is not, the log is told for every new balance. */
  isWaitedFor({ address, lamports, ledger }: Balance): boolean {
    const state = `${lamports}/${ledger}`;
    const now = this.#deps.clock.now();
    const before = this.#accounts.get(address);
    // However the balance changes meanwhile: a trickle of lamports must not put it off for ever.
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
        'the balance of an account does not follow from its history: only what is known was credited',
      );
    }
    return !isTold;
  }

  /** The node's health with these accounts. */
  withWarning<T extends NodeStatus>(status: T): T {
    const unexplained = this.total;
    if (unexplained.accounts === 0) return { ...status, unexplained };
    const amount = formatCoinAmount(unexplained.amount, 'SOL');
    const warning = `${unexplained.accounts} account(s) hold ${amount} SOL more than the node's history explains, which is not credited: point SOL at a node that has the whole history`;
    const warnings = status.warnings === null ? warning : `${status.warnings}; ${warning}`;
    return { ...status, warnings, unexplained };
  }
}
