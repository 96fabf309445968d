import { ChainError, type NodeStatus } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';
import { isNotNow } from '../rpc/rpc.ts';

/** Maximum accounts remembered. */
const MAX_ACCOUNTS = 10_000;
/** Number of consecutive scans without an answer about an account after which it is set aside. */
const MAX_ATTEMPTS = 3;
/**
 * Backoff before the history of an account is requested again after no answer; doubles up to the maximum, ms.
 */
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 300_000;
/**
 * Number of consecutive requests without an answer, about any accounts, after which the node counts as
 * unavailable.
 */
const MAX_FAILURES = 3;
const METHOD_NOT_FOUND = -32601;

/** The call whose answer about an account could not be parsed. */
type AccountMethod = 'getMultipleAccounts' | 'getSignaturesForAddress';

/** An account about which the node did not answer. */
interface SilentAccount {
  readonly method: AccountMethod;
  readonly attempts: number;
  /** Time of the last attempt, ms. */
  readonly at: number;
}

interface UnreadAccount {
  readonly method: AccountMethod;
  readonly reason: string;
}

/** Whether an error may concern only the requested account: not an outage, nor a call that the node lacks. */
export function isAboutAccount(error: unknown): error is ChainError {
  if (!(error instanceof ChainError)) return false;
  if (error.kind === 'bad_answer') return true;
  const { cause } = error;
  return (
    cause instanceof RpcRefusal && cause.code !== METHOD_NOT_FOUND && !error.isRateLimited && !isNotNow(error)
  );
}

/** Whether a failure has no stated reason: a timeout, a broken connection, a busy gateway. */
function isSilence(error: unknown): error is ChainError {
  if (!(error instanceof ChainError) || error.kind !== 'unavailable') return false;
  return !error.isRateLimited && !(error.cause instanceof RpcRefusal);
}

/**
 * The requests of one scan without an answer. A single one does not delay other accounts; several in a row,
 * or a scan without any answer, mean that the node is unavailable.
 */
export class ScanFailures {
  #inARow = 0;
  #answered = 0;
  #last: ChainError | null = null;

  succeeded(): void {
    this.#inARow = 0;
    this.#answered += 1;
  }

  /** @throws the error unless the scan can continue without its answer */
  tolerate(error: unknown): ChainError {
    if (!isSilence(error)) throw error;
    this.#inARow += 1;
    this.#last = error;
    if (this.#inARow >= MAX_FAILURES) throw error;
    return error;
  }

  /** @throws the last failure when nothing was answered */
  requireAnswer(): void {
    if (this.#answered === 0 && this.#last !== null) throw this.#last;
  }
}

/**
 * Accounts whose balance or history could not be parsed. Each is set aside individually and read again in the
 * next scan; its state is unknown until then. An account without any answer is set aside after some attempts,
 * because each may take a whole timeout.
 */
export class UnreadAccounts {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, UnreadAccount>();
  readonly #silent = new Map<string, SilentAccount>();

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Records that the node did not answer about an account. */
  failed(address: string, unread: UnreadAccount): void {
    const { method } = unread;
    const attempts = (this.#silent.get(address)?.attempts ?? 0) + 1;
    if (this.#silent.size < MAX_ACCOUNTS || attempts > 1)
      this.#silent.set(address, { method, attempts, at: this.#clock.now() });
    if (attempts >= MAX_ATTEMPTS) this.setAside(address, unread);
    else
      this.#logger.warn(
        { coin: 'SOL', account: address, ...unread },
        'on-chain account not read; will retry',
      );
  }

  /** Whether requests for the history of an account pause, because the last attempts had no answer. */
  isResting(address: string): boolean {
    const silent = this.#silent.get(address);
    if (silent?.method !== 'getSignaturesForAddress') return false;
    const elapsed = this.#clock.now() - silent.at;
    // A negative time means that the clock was set back.
    return elapsed >= 0 && elapsed < Math.min(FIRST_REST_MS * 2 ** (silent.attempts - 1), MAX_REST_MS);
  }

  setAside(address: string, unread: UnreadAccount): void {
    const isKnown = this.#accounts.get(address)?.method === unread.method;
    if (!isKnown) {
      this.#logger.error(
        { coin: 'SOL', account: address, ...unread },
        'on-chain account unreadable; skipped and retried, other accounts are not affected',
      );
    }
    if (this.#accounts.has(address) || this.#accounts.size < MAX_ACCOUNTS)
      this.#accounts.set(address, unread);
  }

  /** Records a successful call about an account. */
  succeeded(address: string, method: AccountMethod): void {
    if (this.#silent.get(address)?.method === method) this.#silent.delete(address);
    if (this.#accounts.get(address)?.method === method) this.agrees(address);
  }

  /** Records that nothing about an account remains to be read. */
  agrees(address: string): void {
    this.#silent.delete(address);
    if (this.#accounts.delete(address))
      this.#logger.info({ coin: 'SOL', account: address }, 'skipped on-chain account readable again');
  }

  /** Adds these accounts to the node's health; one without a balance also counts as unexplained. */
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
