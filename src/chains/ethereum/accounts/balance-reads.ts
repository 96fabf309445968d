import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { Clock, Logger } from '../../../domain/ports.ts';
import type { PostOptions } from '../../shared/rpc-transport.ts';
import { HEADER, quantity } from '../rpc/node-answers.ts';
import type { BalanceAnswer } from '../rpc/node-client.ts';
import { refused, unwrapResult, stale } from '../rpc/rpc-results.ts';
import { isMissingState, isUnknownBlock } from '../sends/reject-reasons.ts';
import { parsed, RpcRefusal, type RpcRequest } from '../../shared/json-rpc.ts';
import { type Rpc } from '../rpc/rpc.ts';

/**
 * Contract creation code that returns the balances of the addresses appended to it, 32 bytes each:
 *
 *   PUSH1 42, PUSH1 32                  in, out: offset of the next address, offset for its balance
 *   JUMPDEST, DUP2, CODESIZE, GT        while in < size of the code
 *   PUSH1 18, JUMPI
 *   PUSH1 32, DUP1, DUP3, SUB, SWAP1, RETURN
 *   JUMPDEST, PUSH1 20, DUP3, PUSH1 12, CODECOPY, PUSH1 0, MLOAD, BALANCE, DUP2, MSTORE
 *   PUSH1 32, ADD, SWAP1, PUSH1 20, ADD, SWAP1, PUSH1 4, JUMP
 *
 * Run by eth_call without a recipient, it needs no contract on the chain and creates none.
 */
const CODE = '0x602a60205b813811601257602080820390f35b601482600c396000513181526020019060140190600456';
/** Contract creation may return 24,576 bytes (EIP-170), 768 balances; its code may have 49,152 (EIP-3860). */
const BALANCES_PER_CALL = 700;
/** Below the limit for one transaction (2^24, EIP-7825); 700 balances use half of it. */
const GAS = '0xf00000';
/**
 * How long balances are read one by one after a node rejects the bulk call, before the bulk call is retried.
 */
const ASK_AGAIN_MS = 600_000;
/** How many of the newest blocks every node keeps states and receipts of, although a few keep more. */
export const STATES_KEPT = 128;

/**
 * Number of consecutive rejected requests, for any accounts, after which the node and not the accounts counts
 * as the cause.
 */
const REFUSALS_IN_A_ROW = 3;
/** Maximum number of accounts remembered as logged. */
const MAX_LOGGED = 1_000;

const BYTES = /^0x[0-9a-f]*$/i;
/** Hex digits of a balance in an answer: 32 bytes. */
const WORD_LENGTH = 64;
const ZERO = '0'.repeat(WORD_LENGTH);

export interface BalanceReaderOptions {
  /** Calls per batch request when balances are read one by one. */
  readonly batchSize: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the balances of many accounts as of the end of one block, independent of the answering backend. */
export class BalanceReader {
  readonly #rpc: Rpc;
  readonly #options: BalanceReaderOptions;
  /** Accounts whose malformed balance was logged. */
  readonly #logged = new Set<string>();
  /** When the node last rejected the bulk call, ms. */
  #refusedAt = -Infinity;

  constructor(rpc: Rpc, options: BalanceReaderOptions) {
    this.#rpc = rpc;
    this.#options = options;
  }

  /** How many balances one call reads; 1 with a node that is read one by one. */
  get perCall(): number {
    const elapsedMs = this.#options.clock.now() - this.#refusedAt;
    // A negative time means that the clock was set back.
    return elapsedMs >= 0 && elapsedMs < ASK_AGAIN_MS ? 1 : BALANCES_PER_CALL;
  }

  /**
   * Reads balances in the given order, up to the first failure of the node, which is returned as `failure`.
   * An account whose balance it rejects while it answers for others is `unreadable`.
   * @param giveUp balances not answered by then are not read
   */
  async read(
    accounts: readonly string[],
    blockHash: string,
    giveUp?: AbortSignal,
  ): Promise<{ readonly answers: readonly BalanceAnswer[]; readonly failure: ChainError | null }> {
    const answers: BalanceAnswer[] = [];
    const options: PostOptions = giveUp === undefined ? {} : { giveUp };
    const refusals: ChainError[] = [];
    let readable = 0;
    try {
      while (answers.length < accounts.length) {
        const isTogether = this.perCall > 1;
        const size = isTogether ? BALANCES_PER_CALL : this.#options.batchSize;
        const part = accounts.slice(answers.length, answers.length + size);
        const result = isTogether
          ? await this.#together(part, blockHash, options)
          : await this.#unlessRefused(part, blockHash, options);
        if (result instanceof ChainError) {
          refusals.push(result);
          if (refusals.length >= REFUSALS_IN_A_ROW) break;
          answers.push(...part.map(() => 'unreadable' as const));
          continue;
        }
        refusals.length = 0;
        answers.push(...result);
        readable = answers.length;
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return { answers: answers.slice(0, readable), failure: error };
    }
    const [failure = null] = refusals;
    if (failure === null || (readable > 0 && refusals.length < REFUSALS_IN_A_ROW))
      return { answers, failure: null };
    return { answers: answers.slice(0, readable), failure };
  }

  /**
   * Reads balances by individual calls, or returns the error when the node rejects all of them. @throws
   * {ChainError}
   */
  async #unlessRefused(
    accounts: readonly string[],
    blockHash: string,
    options: PostOptions,
  ): Promise<readonly BalanceAnswer[] | ChainError> {
    try {
      return await this.#alone(accounts, blockHash, options);
    } catch (error) {
      if (!(error instanceof ChainError) || !error.isRefusal) throw error;
      return error;
    }
  }

  /** Reads one balance by an individual call. @throws {ChainError} when the node does not answer it now */
  async readAlone(account: string, blockHash: string): Promise<BalanceAnswer> {
    const [answer = 'unknown'] = await this.#alone([account], blockHash, {});
    return answer;
  }

  /** Reads balances by one call; empty when the node rejects it, which is then not retried for a while. */
  async #together(
    accounts: readonly string[],
    blockHash: string,
    options: PostOptions,
  ): Promise<readonly BalanceAnswer[]> {
    const data = CODE + accounts.map((account) => account.slice(2)).join('');
    const request: RpcRequest = { method: 'eth_call', params: [{ data, gas: GAS }, { blockHash }] };
    let refusal = 'no balances';
    try {
      const balances = decodeWords(await this.#rpc.call(request, z.unknown(), options), accounts.length);
      if (balances !== null) return balances;
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      if (isUnknownBlock(error) && (await this.#lacksState(error, blockHash, options))) {
        return accounts.map(() => 'unknown');
      }
      refusal = error.reason;
    }
    // A single balance shows whether the node rejects only the bulk call; the first account may be the
    // unreadable one.
    let probe = await this.#unlessRefused(accounts.slice(0, 1), blockHash, options);
    if (probe instanceof ChainError) probe = await this.#alone(accounts.slice(-1), blockHash, options);
    const [first] = probe;
    if (first === 'unknown') return accounts.map(() => 'unknown');
    this.#refusedAt = this.#options.clock.now();
    this.#options.logger.warn(
      { coin: 'ETH', method: 'eth_call', error: refusal },
      'node rejected the bulk balance call; balances read one by one',
    );
    return [];
  }

  async #alone(
    accounts: readonly string[],
    blockHash: string,
    options: PostOptions,
  ): Promise<readonly BalanceAnswer[]> {
    const method = 'eth_getBalance';
    const requests = accounts.map((account) => ({ method, params: [account, { blockHash }] }));
    const answers = await this.#rpc.batch(requests, options);
    const refusals = answers.filter((answer) => answer instanceof RpcRefusal);
    for (const refusal of refusals) {
      // One backend answers the whole request, so its missing state applies to all of it.
      if (await this.#lacksState(refusal, blockHash, options)) return accounts.map(() => 'unknown');
    }
    const [refusal] = refusals;
    if (refusal !== undefined && refusals.length === answers.length) throw refused(refusal);
    return answers.map((answer, at) => {
      const account = accounts[at] ?? '';
      if (answer instanceof RpcRefusal) return this.#setAside(account, method, answer.message);
      // Besu answers null for a block whose state it has dropped, and an error for an unknown block.
      if (answer.result === null) return 'unknown';
      return this.#balanceIn(answer.result, method, account);
    });
  }

  /** One malformed balance must not hide the others. */
  #balanceIn(result: unknown, method: string, account: string): BalanceAnswer {
    try {
      const balance = parsed(result, method, quantity);
      this.#logged.delete(account);
      return balance;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return this.#setAside(account, method, error.message);
    }
  }

  #setAside(account: string, method: string, reason: string): 'unreadable' {
    if (!this.#logged.has(account) && this.#logged.size < MAX_LOGGED) {
      this.#logged.add(account);
      this.#options.logger.error(
        { coin: 'ETH', account, method, reason },
        'on-chain account unreadable; skipped and retried, other accounts are not affected',
      );
    }
    return 'unreadable';
  }

  /**
   * Whether an error means that the node has the block but dropped its state. Some nodes then call the block
   * unknown instead: waiting for a backend that knows it would not terminate.
   * @throws {ChainError} when the backend that answers does not know the block
   */
  async #lacksState(refusal: RpcRefusal, blockHash: string, options: PostOptions): Promise<boolean> {
    if (!isUnknownBlock(refusal)) return isMissingState(refusal);
    if (await isLongKnown(this.#rpc, blockHash, options)) return true;
    throw stale(`it does not know block ${blockHash}`);
  }
}

/** Decodes the balances that the code returned; null when the answer has another form. */
function decodeWords(answer: unknown, count: number): bigint[] | null {
  if (typeof answer !== 'string' || !BYTES.test(answer) || answer.length !== 2 + count * WORD_LENGTH)
    return null;
  const balances: bigint[] = [];
  for (let at = 2; at < answer.length; at += WORD_LENGTH) {
    // Most accounts that wait for money are empty.
    balances.push(answer.startsWith(ZERO, at) ? 0n : BigInt(`0x${answer.slice(at, at + WORD_LENGTH)}`));
  }
  return balances;
}

/** Whether the node has a block that is deeper than nodes must keep states. */
async function isLongKnown(rpc: Rpc, blockHash: string, options: PostOptions): Promise<boolean> {
  const method = 'eth_getBlockByHash';
  const [known, latest] = await rpc.batch(
    [
      { method, params: [blockHash, false] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ],
    options,
  );
  const block = parsed(unwrapResult(known), method, HEADER.nullable());
  const tip = parsed(unwrapResult(latest), 'eth_getBlockByNumber', HEADER);
  return block !== null && tip.number - block.number >= STATES_KEPT;
}
