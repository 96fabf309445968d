import { Anvil } from '../../../../test/_helpers/anvil/anvil.ts';
import type { ChainWorld, Receipt, ReorgFate, Whereabouts } from '../../chain-world.ts';
import type { WorldClock } from '../../world-clock.ts';
import { blockAt, hex, orNull, type AnvilOf } from './ask.ts';
import { ethereumMischiefs } from './mischiefs.ts';
import { EthereumPayers } from './payers.ts';

/** Holesky's: the rules of a public network apply, such as the maximum age of the head. */
const CHAIN_ID = 17_000;
const BLOCK_MS = 12_000;
/** Amounts from `fromAtoms` on need more confirmations: about the upper half of the prices. */
const CONFIRMATIONS = { base: 3, fromAtoms: 25_000_000_000_000_000n, above: 5, setting: '3,0.025:5' };
const SETTLED = 6;
/** Larger numbers of blocks are mined in one call. */
const FEW = 5;

/** An anvil, started for each round. */
export async function startEthereumWorld(clock: WorldClock): Promise<ChainWorld> {
  let running: Anvil | null = null;
  const anvil = (): Anvil => {
    if (running === null) throw new Error('the round has not begun');
    return running;
  };
  let payers = new EthereumPayers(anvil, CHAIN_ID);
  let floor = 0;
  const chain = chainOf(anvil, clock);
  return {
    coin: 'ETH',
    clock,
    target: () => new URL(anvil().rpcUrl),
    env: (url) => ({
      TILLD_NETWORK: 'testnet',
      TILLD_ETH_RPC_URL: url,
      TILLD_CONFIRMATIONS_ETH: CONFIRMATIONS.setting,
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'true',
    }),
    ways: ['plain', 'plain', 'data', 'contract', 'contract'],
    price: { low: 20, high: 200 },
    ...chain,
    begin: async () => {
      await running?.stop();
      running = await Anvil.start({ chainId: CHAIN_ID });
      payers = new EthereumPayers(anvil, CHAIN_ID);
      await payers.fund();
      for (let made = 0; made < 12; made += 1) await chain.mine();
      floor = await anvil().height();
    },
    pay: async (to) => payers.pay(to),
    raiseFee: async (txid) => payers.raiseFee(txid),
    doubleSpend: async (txid) => {
      const rival = payers.rivalOf(txid);
      if (rival === null) return false;
      return (await orNull(anvil().rpc<string>('eth_sendRawTransaction', [rival]))) !== null;
    },
    reorg: async (depth, fate, victims) => {
      if ((await anvil().height()) - depth <= floor) return;
      await reorganise(anvil(), payers, { depth, fate, victims });
      await chain.mine();
    },
    loseUnconfirmed: async (all) => loseUnconfirmed(anvil(), payers, all),
    received: async (address) => received(anvil(), floor, address),
    mischiefs: ethereumMischiefs(anvil),
    stop: async () => running?.stop(),
  };
}

type Chain = Pick<
  ChainWorld,
  'pass' | 'settle' | 'settledHeights' | 'whereabouts' | 'balances' | 'newDestination' | 'offer'
>;

function chainOf(anvil: AnvilOf, clock: WorldClock): Chain & { mine: () => Promise<void> } {
  const mine = async (blocks = 1): Promise<void> => {
    const before = clock.now();
    await anvil().rpc('evm_setNextBlockTimestamp', [Math.floor((before + BLOCK_MS) / 1000)]);
    await anvil().rpc('anvil_mine', [hex(blocks), hex(BLOCK_MS / 1000)]);
    clock.advance(blocks * BLOCK_MS);
  };
  return {
    mine: async () => mine(),
    pass: async (ms) => {
      const blocks = Math.floor(ms / BLOCK_MS);
      if (blocks > FEW) await mine(blocks);
      else for (let made = 0; made < blocks; made += 1) await mine();
      clock.advance(ms - blocks * BLOCK_MS);
    },
    settle: async () => {
      for (let made = 0; made < SETTLED; made += 1) await mine();
    },
    settledHeights: async () => {
      const height = await anvil().height();
      const { base, fromAtoms, above } = CONFIRMATIONS;
      return (amount) => height - (amount >= fromAtoms ? above : base) + 1;
    },
    whereabouts: async (txids) => {
      const found = new Map<string, Whereabouts>();
      for (const txid of txids) found.set(txid, await whereIs(anvil(), txid));
      return found;
    },
    balances: async (addresses) => {
      const found = new Map<string, bigint>();
      for (const address of addresses) found.set(address, await anvil().balance(address));
      return found;
    },
    newDestination: async () => anvil().newAddress(),
    offer: async (raw) => void (await orNull(anvil().rpc('eth_sendRawTransaction', [raw]))),
  };
}

async function whereIs(anvil: Anvil, txid: string): Promise<Whereabouts> {
  const receipt = await orNull(
    anvil.rpc<{ blockNumber: string; status: string } | null>('eth_getTransactionReceipt', [txid]),
  );
  if (receipt !== null) {
    const height = Number(receipt.blockNumber);
    if (receipt.status !== '0x1') return { kind: 'absent' };
    return { kind: 'mined', height, timeMs: Number((await blockAt(anvil, height)).timestamp) * 1000 };
  }
  const known = await orNull(anvil.rpc<object | null>('eth_getTransactionByHash', [txid]));
  return { kind: known === null ? 'absent' : 'waiting' };
}

/** Raw transactions of the last blocks, oldest first. */
async function rawsOf(anvil: Anvil, depth: number): Promise<{ txid: string; raw: string }[]> {
  const height = await anvil.height();
  const found: { txid: string; raw: string }[] = [];
  for (let at = height - depth + 1; at <= height; at += 1) {
    for (const { hash } of (await blockAt(anvil, at)).transactions) {
      found.push({ txid: hash, raw: await anvil.rpc<string>('eth_getRawTransactionByHash', [hash]) });
    }
  }
  return found;
}

async function reorganise(
  anvil: Anvil,
  payers: EthereumPayers,
  { depth, fate, victims }: { depth: number; fate: ReorgFate; victims: readonly string[] },
): Promise<void> {
  const raws = await rawsOf(anvil, depth);
  if (fate === 'dropped') {
    await anvil.rpc('anvil_reorg', [depth, []]);
    // Returned to the mempool, as by real nodes.
    for (const { raw } of raws) await orNull(anvil.rpc('eth_sendRawTransaction', [raw]));
    return;
  }
  const moved = raws.map(({ txid, raw }) => {
    const isVictim = fate === 'replaced' && victims.includes(txid);
    return isVictim ? (payers.rivalOf(txid) ?? raw) : raw;
  });
  await anvil.rpc('anvil_reorg', [depth, moved.map((raw) => [raw, depth - 1])]);
}

async function loseUnconfirmed(anvil: Anvil, payers: EthereumPayers, all: boolean): Promise<void> {
  const { pending } = await anvil.rpc<{ pending: Record<string, Record<string, { hash: string }>> }>(
    'txpool_content',
  );
  for (const { hash } of Object.values(pending).flatMap((byNonce) => Object.values(byNonce))) {
    if (all || !payers.has(hash)) await anvil.drop(hash);
  }
}

/** The sum of direct transfers to an address since a height. */
async function received(anvil: Anvil, floor: number, address: string): Promise<Receipt[]> {
  if ((await anvil.balance(address)) === 0n) return [];
  const found: Receipt[] = [];
  const height = await anvil.height();
  for (let at = floor + 1; at <= height; at += 1) {
    for (const { hash, to, value } of (await blockAt(anvil, at)).transactions) {
      if (to?.toLowerCase() === address.toLowerCase()) found.push({ txid: hash, amount: BigInt(value) });
    }
  }
  return found;
}
