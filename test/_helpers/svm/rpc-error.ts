/** A JSON-RPC error as Agave words it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(-32602, `Invalid params: ${message}`);
}

export function blockNotAvailable(slot: number): RpcError {
  return new RpcError(-32004, `Block not available for slot ${slot}`);
}

export function slotSkipped(slot: number): RpcError {
  return new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
}

export function contextNotReached(contextSlot: number): RpcError {
  return new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot });
}

export function versionNotSupported(version: number): RpcError {
  return new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

/** What sendTransaction answers when its dry run fails. */
export function preflightFailed(err: unknown, logs: readonly string[]): RpcError {
  return new RpcError(-32002, `Transaction simulation failed: ${describe(err)}`, {
    accounts: null,
    err,
    innerInstructions: null,
    logs,
    returnData: null,
    unitsConsumed: 0,
  });
}

export function badSignature(): RpcError {
  return new RpcError(-32003, 'Transaction signature verification failure');
}

function describe(err: unknown): string {
  if (err === 'BlockhashNotFound') return 'Blockhash not found';
  if (err === 'AlreadyProcessed') return 'This transaction has already been processed';
  if (err === 'AccountNotFound') return 'Attempt to debit an account but found no record of a prior credit.';
  if (err === 'InsufficientFundsForFee') return 'Insufficient funds for fee';
  return typeof err === 'string' ? err : `Error processing Instruction: ${JSON.stringify(err)}`;
}
