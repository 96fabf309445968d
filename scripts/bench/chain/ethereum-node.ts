import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An Ethereum node in its own process, with consecutive blocks of the shape that the main network has at 60 million gas:
 * 400 transactions, most of them calls of contracts. With `traced`, it also answers callTracer. With `blockMs`, its head
 * advances by a block every so many milliseconds; otherwise all blocks exist from the start. Every account is empty
 * unless a message pays it.
 */
const { traced: isTraced, blockMs } = JSON.parse(process.argv[2] ?? '') as {
  traced: boolean;
  blockMs?: number;
};

/** A payment in the next block; `isInternal`: by a contract, so that only the balance shows it. */
export interface EthereumPayment {
  readonly pay: string;
  readonly amount: string;
  readonly isInternal: boolean;
}
const TRANSACTIONS = 400;
/** Distinct lists of transactions, which recur. */
const LISTS = 16;
const HEIGHT = 1_000_000;
const GENESIS_TIME = 1_700_000_000;
/** Height of the newest block. */
let head = blockMs === undefined ? HEIGHT : 1_000;
const FINAL_DEPTH = 64;
/** Bytes of calldata: a quarter are plain transfers; the median is a token transfer or a swap, a few are long. */
const INPUT_BYTES = [0, 68, 68, 68, 132, 228, 356, 0, 68, 68, 132, 292, 580, 0, 68, 1_412, 0, 68, 68, 4_900];
/** Calls within a transaction, by the same distribution. */
const CALLS = [0, 1, 1, 1, 3, 6, 9, 0, 1, 1, 3, 7, 12, 0, 1, 24, 0, 1, 1, 40];
const METHOD_NOT_FOUND = -32_601;
const UNKNOWN_PARAMS = -32_602;
const CODE_BYTES = 42;
const ADDRESS_BYTES = 20;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;
const toHex = (number: number): string => `0x${number.toString(16)}`;
const hashAt = (height: number): string => `0x${createHash('sha256').update(String(height)).digest('hex')}`;

function transactionAt(hash: string, position: number): object {
  const input = hex(INPUT_BYTES[position % INPUT_BYTES.length] ?? 0);
  return {
    blockHash: hex(32),
    blockNumber: toHex(HEIGHT),
    from: hex(20),
    gas: toHex(150_000),
    gasPrice: toHex(2_100_000_000),
    maxFeePerGas: toHex(3_000_000_000),
    maxPriorityFeePerGas: toHex(100_000_000),
    hash,
    input,
    nonce: toHex(position),
    to: hex(20),
    transactionIndex: toHex(position),
    value: input === '0x' ? toHex(10_000_000_000_000_000) : '0x0',
    type: '0x2',
    accessList: [],
    chainId: '0x7a69',
    v: '0x1',
    r: hex(32),
    s: hex(32),
    yParity: '0x1',
  };
}

function traceAt(txHash: string, position: number): object {
  const call = (calls: number): object => ({
    from: hex(20),
    gas: toHex(150_000),
    gasUsed: toHex(60_000),
    to: hex(20),
    input: hex(68),
    output: hex(32),
    value: '0x0',
    type: calls % 2 === 0 ? 'CALL' : 'STATICCALL',
    ...(calls === 0 ? {} : { calls: [call(Math.floor((calls - 1) / 2)), call(Math.ceil((calls - 1) / 2))] }),
  });
  return { txHash, result: call(CALLS[position % CALLS.length] ?? 0) };
}

const lists = Array.from({ length: LISTS }, () => Array.from({ length: TRANSACTIONS }, () => hex(32)));
const transactions = lists.map((hashes) => JSON.stringify(hashes.map(transactionAt)));
const traces = isTraced ? lists.map((hashes) => JSON.stringify(hashes.map(traceAt))) : [];
const bloom = hex(256);

/** When each block was made, where the head advances, seconds since 1970. */
const minedAt = new Map<number, number>();

/** Block time. Older than a payment's address means to the daemon that its money is no payment. */
function timeAt(height: number): number {
  return minedAt.get(height) ?? GENESIS_TIME + 12 * height;
}

function block(height: number, isFull: boolean): string {
  const header = {
    number: toHex(height),
    hash: knownHash(height),
    parentHash: hashAt(height - 1),
    timestamp: toHex(timeAt(height)),
    gasLimit: toHex(60_000_000),
    gasUsed: toHex(35_000_000),
    baseFeePerGas: toHex(2_000_000_000),
    logsBloom: bloom,
    miner: hex(20),
    stateRoot: hex(32),
    receiptsRoot: hex(32),
    transactionsRoot: hex(32),
  };
  const text = JSON.stringify(header).slice(0, -1);
  const list = isFull ? (transactions[height % LISTS] ?? '[]') : '[]';
  const paid = isFull ? (payments.get(height) ?? []).filter(({ hash }) => hash !== null) : [];
  const own = paid.map(({ hash, pay, amount }) =>
    JSON.stringify({ ...transactionAt(hash ?? '', 0), to: pay, value: amount, input: '0x' }),
  );
  return `${text},"transactions":${own.length === 0 ? list : `${list.slice(0, -1)},${own.join()}]`}}`;
}

/** Payments by height; without a hash where no transaction of the block names the receiver. */
const payments = new Map<
  number,
  { readonly hash: string | null; readonly pay: string; readonly amount: string }[]
>();
/** The first payment to each account: the height of its block, and the amount. */
const balances = new Map<string, { readonly height: number; readonly amount: bigint }>();
/** Receipts of payments by transaction. */
const receipts = new Map<string, object>();

function enter({ pay, amount, isInternal }: EthereumPayment): void {
  const height = head + 1;
  const hash = isInternal ? null : hex(32);
  const account = pay.toLowerCase();
  payments.set(height, [...(payments.get(height) ?? []), { hash, pay: account, amount }]);
  balances.set(account, { height, amount: BigInt(amount) });
  if (hash === null) return;
  const block = { blockHash: hashAt(height), blockNumber: toHex(height) };
  receipts.set(hash, {
    ...block,
    transactionHash: hash,
    status: '0x1',
    gasUsed: '0x5208',
    effectiveGasPrice: toHex(2_100_000_000),
  });
}

function balanceAt(account: string, height: number): string {
  const balance = balances.get(account);
  const amount = balance === undefined || balance.height > height ? 0n : balance.amount;
  return amount.toString(16);
}

/** The height of a block parameter: a number, a tag or a block named by its hash (EIP-1898). */
function heightOf(block: unknown): number {
  if (block === 'latest') return head;
  if (block === 'safe' || block === 'finalized') return head - FINAL_DEPTH;
  if (typeof block === 'string') return Number(block);
  return heights.get((block as { blockHash: string }).blockHash) ?? Number.NaN;
}

function callBalances(data: string, height: number): string {
  const accounts = Math.floor((data.length / 2 - 1 - CODE_BYTES) / ADDRESS_BYTES);
  if (balances.size === 0) return '0'.repeat(64 * accounts);
  const from = 2 + 2 * CODE_BYTES;
  const balanceOf = (_: unknown, at: number): string => {
    const start = from + 2 * ADDRESS_BYTES * at;
    return balanceAt(`0x${data.slice(start, start + 2 * ADDRESS_BYTES)}`, height).padStart(64, '0');
  };
  return Array.from({ length: accounts }, balanceOf).join('');
}

/** The result as JSON, or the code of an error. */
function answer({ method, params }: Call): string | number {
  const [first, second] = params;
  switch (method) {
    case 'eth_getBlockByNumber': {
      const height = heightOf(first);
      return height <= head ? block(height, second === true) : 'null';
    }
    case 'eth_getBlockByHash':
      return heights.has(String(first)) ? block(heights.get(String(first)) ?? 0, second === true) : 'null';
    case 'eth_call': {
      const data = String(
        (first as { data?: string; input?: string }).data ?? (first as { input?: string }).input,
      );
      return `"0x${callBalances(data, heightOf(second))}"`;
    }
    case 'eth_getBalance':
      return `"0x${balanceAt(String(first), heightOf(second))}"`;
    case 'eth_getTransactionReceipt':
      return JSON.stringify(receipts.get(String(first)) ?? null);
    case 'eth_chainId':
      return '"0x7a69"';
    case 'web3_clientVersion':
      return '"bench/1"';
    case 'eth_syncing':
      return 'false';
    case 'eth_getTransactionCount':
      return '"0x0"';
    case 'eth_gasPrice':
    case 'eth_maxPriorityFeePerGas':
      return '"0x5f5e100"';
    case 'debug_traceBlockByHash': {
      const height = heights.get(String(first));
      return isTraced && height !== undefined ? (traces[height % LISTS] ?? UNKNOWN_PARAMS) : METHOD_NOT_FOUND;
    }
    default:
      return METHOD_NOT_FOUND;
  }
}

/** Heights of blocks, by hash: those that a measurement can reach, and all that were read. */
const heights = new Map(Array.from({ length: 2_000 }, (_, at) => [hashAt(at), at] as const));

function knownHash(height: number): string {
  const hash = hashAt(height);
  heights.set(hash, height);
  return hash;
}

process.on('message', (payment: EthereumPayment) => {
  enter(payment);
  process.send?.({});
});
if (blockMs !== undefined) {
  setInterval(() => {
    head += 1;
    minedAt.set(head, Math.floor(Date.now() / 1_000));
  }, blockMs);
}

function reply(call: Call): string {
  const result = answer(call);
  const outcome =
    typeof result === 'string'
      ? `"result":${result}`
      : `"error":${JSON.stringify({ code: result, message: 'the method does not exist' })}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},${outcome}}`;
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
    const text = Array.isArray(calls) ? `[${calls.map(reply).join(',')}]` : reply(calls);
    res.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
