import { ChainError, type NodeStatus } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { isNotNow, RpcRefusal } from '../rpc/rpc.ts';

/** Maximum accounts remembered. */
const MAX_ACCOUNTS = 10_000;
const METHOD_NOT_FOUND = -32601;

/** The call whose answer about an account could not be read. */
type AccountMethod = 'getMultipleAccounts' | 'getSignaturesForAddress';

interface UnreadAccount {
  readonly method: AccountMethod;
  readonly reason: string;
}

/** Whether an error may be about the one account that was asked for: not an outage, nor a call that the node lacks. */
export function isAboutAccount(error: unknown): error is ChainError {
  if (!(error instanceof ChainError)) return false;
  if (error.kind === 'bad_answer') return true;
  const { cause } = error;
  return (
    cause instanceof RpcRefusal && cause.code !== METHOD_NOT_FOUND && !error.isRateLimited && !isNotNow(error)
  );
}

/**
 * Accounts whose balance or history the node answered in a form that cannot be read. Each is set aside alone and read
 * again with the next look; nothing is concluded about it meanwhile.
 */
export class UnreadAccounts {
  readonly #logger: Logger;
  readonly #accounts = new Map<string, UnreadAccount>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  setAside(address: string, unread: UnreadAccount): void {
    const isKnown = this.#accounts.get(address)?.method === unread.method;
    if (!isKnown) {
      this.#logger.error(
        { coin: 'SOL', account: address, ...unread },
        'account unreadable; set aside and retried, others are not affected',
      );
    }
    if (this.#accounts.has(address) || this.#accounts.size < MAX_ACCOUNTS)
      this.#accounts.set(address, unread);
  }

  /** Notes that a call about an account was answered. */
  succeeded(address: string, method: AccountMethod): void {
    if (this.#accounts.get(address)?.method === method) this.agrees(address);
  }

  /** Notes that nothing about an account is left to read. */
  agrees(address: string): void {
    if (this.#accounts.delete(address))
      this.#logger.info({ coin: 'SOL', account: address }, 'account set aside earlier is read now');
  }

  /** Adds these accounts to the node's health; one without a balance counts as unexplained, too. */
  withWarning<T extends NodeStatus>(status: T): T {
    const [first] = this.#accounts;
    if (first === undefined) return status;
    const [address, { method, reason }] = first;
    const others = this.#accounts.size === 1 ? '' : ` and ${this.#accounts.size - 1} more`;
    const warning = `${this.#accounts.size} account(s) unreadable and set aside, their money is not credited: ${address} (${method}: ${reason})${others}; they are retried. If that lasts, use another node`;
    const balances = [...this.#accounts.values()].filter((each) => each.method === 'getMultipleAccounts');
    const { accounts, amount } = status.unexplained ?? { accounts: 0, amount: 0n };
    return {
      ...status,
      unexplained: { accounts: accounts + balances.length, amount },
      warnings: status.warnings === null ? warning : `${status.warnings}; ${warning}`,
      alarms: [...(status.alarms ?? []), 'unreadable'],
    };
  }
}
