import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blockOf, strangers, type SyntheticTransaction } from './synthetic-block.ts';

/**
 * A node on regtest with a mempool of the size of a main network's, in a process of its own, as far as the daemon
 * asks one. Its transactions have the usual form (two segwit inputs, two outputs, 374 bytes) and pay strangers. The
 * first argument is the most that it will hold.
 */
export type NodeStep =
  /** From now on the mempool has so many transactions; the transactions are the same ones each time. */
  | { readonly size: number }
  /** So many more arrive. */
  | { readonly add: number }
  /** A payment arrives, which the list shows last. */
  | { readonly pay: string; readonly amount: number }
  /** The payments leave. */
  | { readonly forget: true }
  /** A full block of strangers, and of the payments in the mempool. */
  | { readonly mine: true }
  /** Answers with the requests since the last such step. */
  | { readonly asked: true };

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const ENTRY = 67;
/** Newest blocks that are kept. */
const KEPT_BLOCKS = 20;
const capacity = Number(process.argv[2]);
const UNKNOWN = { error: { code: -5, message: 'No such mempool transaction' } };

const sha = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const idOf = (stripped: Uint8Array): string => Buffer.from(sha(sha(stripped)).toReversed()).toString('hex');

const VERSION = Buffer.from('02000000', 'hex');
const LOCK_TIME = Buffer.alloc(4);
const input = (txid: Buffer): Buffer => Buffer.concat([txid, Buffer.from('0000000000fdffffff', 'hex')]);
const output = (script: Buffer, amount: number): Buffer => {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(BigInt(amount));
  return Buffer.concat([value, Buffer.from([script.length]), script]);
};
const WITNESS = Buffer.concat([Buffer.from([2, 71]), randomBytes(71), Buffer.from([33]), randomBytes(33)]);
const SCRIPTS = [
  Buffer.concat([Buffer.from('0014', 'hex'), randomBytes(20)]),
  Buffer.concat([Buffer.from('5120', 'hex'), randomBytes(32)]),
];
const BODY = Buffer.concat([
  Buffer.from([2]),
  input(randomBytes(32)),
  input(randomBytes(32)),
  Buffer.from([2]),
  ...SCRIPTS.map((script) => output(script, 100_000)),
]);
const STRIPPED = Buffer.concat([VERSION, BODY, LOCK_TIME]);
const RAW = Buffer.concat([VERSION, Buffer.from([0, 1]), BODY, WITNESS, WITNESS, LOCK_TIME]);
/** Places of a counter, so that each transaction spends and pays others. */
const PLACES = [5, ...SCRIPTS.map((script) => STRIPPED.indexOf(script) + 2)];

/** A template with its counter set; marker and flag lie before all places of the raw one. */
function numbered(template: Buffer, at: number): Buffer {
  const shift = template === RAW ? 2 : 0;
  for (const place of PLACES) {
    template.writeUInt32LE(Math.imul(at + 1, 2_654_435_761) >>> 0, place + shift);
    template.writeUInt32LE(at, place + shift + 4);
  }
  return template;
}

const list = Buffer.alloc(capacity * ENTRY);
const places = new Map<string, number>();
for (let at = 0; at < capacity; at += 1) {
  const txid = idOf(numbered(STRIPPED, at));
  list.write(`"${txid}",`, at * ENTRY, 'latin1');
  places.set(txid, at);
}
let size = 0;
/** Payments in the mempool, by transaction id. */
const payments = new Map<string, SyntheticTransaction & { readonly time: number }>();
/** Block hashes by height, and the blocks as JSON text of their hex. */
const hashes = [GENESIS];
const blocks = new Map<string, Buffer>();
let others: readonly SyntheticTransaction[] | null = null;
let asked: Record<string, number> = {};
let sentBytes = 0;

function pay(script: string, amount: number): string {
  const body = Buffer.concat([
    Buffer.from([1]),
    input(randomBytes(32)),
    Buffer.from([1]),
    output(Buffer.from(script, 'hex'), amount),
  ]);
  const stripped = Buffer.concat([VERSION, body, LOCK_TIME]);
  const raw = Buffer.concat([VERSION, Buffer.from([0, 1]), body, WITNESS, LOCK_TIME]);
  const time = Math.floor(Date.now() / 1000);
  const txid = idOf(stripped);
  payments.set(txid, { raw, id: sha(sha(stripped)), strippedBytes: stripped.length, time });
  return txid;
}

function mine(): void {
  others ??= strangers({ transactions: 3_900, maxInputs: 3, legacyEvery: 8 });
  const { hash, hex } = blockOf(hashes.at(-1) ?? GENESIS, [...others, ...payments.values()]);
  payments.clear();
  blocks.set(hash, Buffer.from(`"${hex}"`));
  blocks.delete(hashes.at(-KEPT_BLOCKS) ?? '');
  hashes.push(hash);
}

function header(hash: string): unknown {
  const height = hashes.indexOf(hash);
  const time = height > 0 ? Math.floor(Date.now() / 1000) : 1_296_688_602;
  const previous = hashes[height - 1];
  if (height < 0) return { error: { code: -5, message: 'Block not found' } };
  return {
    hash,
    height,
    time,
    mediantime: time,
    ...(previous === undefined ? {} : { previousblockhash: previous }),
  };
}

function mempool(): Buffer {
  const own = [...payments.keys()].map((txid) => `"${txid}"`).join();
  const foreign = list.subarray(0, own === '' && size > 0 ? size * ENTRY - 1 : size * ENTRY);
  return Buffer.concat([Buffer.from('['), foreign, Buffer.from(`${own}]`)]);
}

function rawTransaction(txid: string): string | null {
  const payment = payments.get(txid);
  if (payment !== undefined) return payment.raw.toString('hex');
  const at = places.get(txid);
  return at === undefined || at >= size ? null : numbered(RAW, at).toString('hex');
}

function answer({ method, params: [first] }: Call): unknown {
  const height = hashes.length - 1;
  switch (method) {
    case 'getblockchaininfo':
      return {
        chain: 'regtest',
        blocks: height,
        headers: height,
        bestblockhash: hashes[height],
        pruned: false,
      };
    case 'getnetworkinfo':
      return { subversion: '/Satoshi:31.0.0/', connections: 8, relayfee: 0.00001, timeoffset: 0 };
    case 'getbestblockhash':
      return hashes[height];
    case 'getblockhash':
      return hashes[Number(first)] ?? { error: { code: -8, message: 'Block height out of range' } };
    case 'getblockheader':
      return header(String(first));
    case 'getblock':
      return blocks.get(String(first)) ?? { error: { code: -5, message: 'Block not found' } };
    case 'getrawmempool':
      return mempool();
    case 'getmempoolinfo':
      return { loaded: true, size, total_fee: 12.345678, mempoolminfee: 0.00001, minrelaytxfee: 0.000001 };
    case 'getrawtransaction':
      return rawTransaction(String(first)) ?? UNKNOWN;
    case 'getmempoolentry':
      return payments.has(String(first)) ? { time: payments.get(String(first))?.time } : UNKNOWN;
    case 'gettxout':
      return null;
    case 'estimatesmartfee':
      return { feerate: 0.00012, blocks: 2 };
    default:
      return { error: { code: -32_601, message: 'Method not found' } };
  }
}

function reply(call: Call): Buffer {
  asked[call.method] = (asked[call.method] ?? 0) + 1;
  const result = answer(call);
  if (!Buffer.isBuffer(result)) {
    const isError = typeof result === 'object' && result !== null && 'error' in result;
    const outcome = isError ? { result: null, error: result.error } : { result, error: null };
    return Buffer.from(JSON.stringify({ ...outcome, id: call.id }));
  }
  const end = Buffer.from(`,"error":null,"id":${JSON.stringify(call.id)}}`);
  return Buffer.concat([Buffer.from('{"result":'), result, end]);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
    const parts = Array.isArray(calls)
      ? calls.flatMap((call, at) => [Buffer.from(at === 0 ? '[' : ','), reply(call)])
      : [reply(calls)];
    const body = Buffer.concat(Array.isArray(calls) ? [...parts, Buffer.from(']\n')] : parts);
    sentBytes += body.length;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});

function take(step: NodeStep): unknown {
  if ('size' in step) size = step.size;
  else if ('add' in step) size += step.add;
  else if ('pay' in step) return { txid: pay(step.pay, step.amount) };
  else if ('forget' in step) payments.clear();
  else if ('mine' in step) mine();
  else {
    const found = { asked, sentBytes };
    asked = {};
    sentBytes = 0;
    return found;
  }
  return {};
}

process.on('message', (step: NodeStep) => process.send?.(take(step)));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
