import { SvmNode } from '../../../../test/_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../../../test/_helpers/svm/payer.ts';
import { liveEnv } from '../../../../test/_helpers/till.ts';
import type { ChainWorld, Whereabouts } from '../../chain-world.ts';
import type { WorldClock } from '../../world-clock.ts';
import { solanaMischiefs } from './mischiefs.ts';

/** Devnet's: the rules of a public network apply, such as what block times prove. */
const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const SLOT_MS = 400;
/** Blocks per step; the other slots are skipped. */
const MAX_BLOCKS = 40;
const SETTLED = 35;

/** An SVM with a ledger, created for each round. */
export async function startSolanaWorld(clock: WorldClock): Promise<ChainWorld> {
  let node: SvmNode | null = null;
  let payer: Payer | null = null;
  const running = (): SvmNode => {
    if (node === null) throw new Error('the round has not begun');
    return node;
  };
  const paying = (): Payer => {
    if (payer === null) throw new Error('the round has not begun');
    return payer;
  };
  return {
    coin: 'SOL',
    clock,
    target: () => new URL(running().url),
    env: (SOL) => ({ ...liveEnv({ SOL }), TILLD_NETWORK: 'testnet' }),
    ways: ['plain', 'plain', 'program', 'table'],
    price: { low: 20, high: 200 },
    begin: async () => {
      await node?.stop();
      node = await SvmNode.start({ now: () => clock.now() });
      node.inject({ kind: 'rewrite', rewrite: () => GENESIS_HASH }, { methods: ['getGenesisHash'] });
      payer = new Payer(node);
    },
    ...chainOf(running, clock),
    pay: async ({ address, amount, way }) => {
      const outputs = [{ address, amount }];
      if (way === 'program') return paying().payByProgram(outputs);
      return way === 'table' ? paying().payThroughTable(outputs) : paying().pay(outputs);
    },
    raiseFee: async () => null,
    doubleSpend: async () => false,
    newDestination: async () => strangerAddress(),
    mischiefs: solanaMischiefs(running),
    stop: async () => node?.stop(),
  };
}

type Chain = Pick<
  ChainWorld,
  | 'pass'
  | 'settle'
  | 'settledHeights'
  | 'reorg'
  | 'loseUnconfirmed'
  | 'whereabouts'
  | 'received'
  | 'balances'
  | 'offer'
>;

function chainOf(node: () => SvmNode, clock: WorldClock): Chain {
  const advance = (ms: number): void => {
    const slots = Math.max(1, Math.floor(ms / SLOT_MS));
    const blocks = Math.min(slots, MAX_BLOCKS);
    for (let made = 0; made < blocks; made += 1) {
      clock.advance(ms / blocks);
      node().skip(Math.floor(slots / blocks) - 1);
    }
  };
  return {
    pass: async (ms, random) => {
      if (random.chance(0.1)) node().landDropped();
      advance(ms);
    },
    settle: async () => advance(SETTLED * SLOT_MS),
    settledHeights: async () => {
      const { slot } = node().ledger.tip('finalized');
      return () => slot;
    },
    reorg: async (depth, fate, victims) =>
      node().fork({ depth, drop: fate === 'moved' ? [] : victims, sameSlots: depth % 2 === 0 }),
    // The leader loses the next submitted transactions.
    loseUnconfirmed: async () => node().dropNext(2),
    whereabouts: async (txids) =>
      new Map(
        txids.map((txid): [string, Whereabouts] => {
          const found = node().ledger.transaction(txid);
          if (found === undefined) return [txid, { kind: 'absent' }];
          const { slot, blockTime } = found;
          return [txid, { kind: 'mined', height: slot, timeMs: blockTime * 1000 }];
        }),
      ),
    received: async (address) =>
      node()
        .ledger.transactionsOf(address)
        .flatMap(({ wire, preBalances, postBalances }) => {
          const index = wire.keys.indexOf(address);
          const amount = (postBalances[index] ?? 0n) - (preBalances[index] ?? 0n);
          return amount > 0n ? [{ txid: wire.signature, amount }] : [];
        }),
    balances: async (addresses) =>
      new Map(addresses.map((address) => [address, node().ledger.machine.lamports(address)])),
    offer: async (raw) => {
      try {
        node().ledger.send(node().ledger.read(Buffer.from(raw, 'base64')));
      } catch {
        // Bytes that the node cannot parse cannot be mined.
      }
    },
  };
}
