import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blockOf, strangers, type SyntheticBlock } from './synthetic-block.ts';

/**
 * The calls of a regtest node that the daemon uses, in its own process. On the message `mine` it adds a full block of
 * unrelated transactions.
 */
const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const OTHERS = strangers({ transactions: 3_970, maxInputs: 3, legacyEvery: 8 });
const NO_SUCH_HEIGHT = -8;
const NO_SUCH_METHOD = -32_601;

const hashes = [GENESIS];
const blocks = new Map<string, SyntheticBlock>();

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

function answer({ method, params }: Call): unknown {
  const height = hashes.length - 1;
  const best = hashes[height];
  const [first] = params;
  switch (method) {
    case 'getblockchaininfo':
      return { chain: 'regtest', blocks: height, headers: height, bestblockhash: best, pruned: false };
    case 'getnetworkinfo':
      return { subversion: '/Satoshi:31.0.0/', connections: 8, relayfee: 0.00001, timeoffset: 0 };
    case 'getblockhash':
      return hashes[Number(first)];
    case 'getblockheader':
      return headerOf(String(first));
    case 'getblock':
      return blocks.get(String(first))?.hex;
    case 'getbestblockhash':
      return best;
    case 'getrawmempool':
      return [];
    case 'estimatesmartfee':
      return { errors: ['Insufficient data'] };
    case 'getmempoolinfo':
      return { mempoolminfee: 0.00001, minrelaytxfee: 0.00001 };
    default:
      return null;
  }
}

function headerOf(hash: string): object {
  const height = hashes.indexOf(hash);
  const time = Math.floor(Date.now() / 1000);
  const previous = hashes[height - 1];
  return {
    hash,
    height,
    time,
    mediantime: time,
    ...(previous === undefined ? {} : { previousblockhash: previous }),
  };
}

function reply(call: Call): object {
  const result = answer(call);
  // Some calls are made only every ten minutes, so an unknown one must not end the measurement.
  if (result === null)
    return { id: call.id, result, error: { code: NO_SUCH_METHOD, message: 'Method not found' } };
  if (result !== undefined) return { id: call.id, result, error: null };
  return { id: call.id, result: null, error: { code: NO_SUCH_HEIGHT, message: 'Block height out of range' } };
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
    const text = JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls));
    res.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
});
process.on('message', () => {
  const block = blockOf(hashes.at(-1) ?? GENESIS, OTHERS);
  blocks.set(block.hash, block);
  hashes.push(block.hash);
  process.send?.({ mined: block.hash });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('SIGTERM', () => process.exit(0));
