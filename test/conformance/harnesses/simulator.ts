import { randomBytes } from 'node:crypto';
import { createSimulator } from '../../../src/chains/simulator/simulator.ts';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import type { SimulatorStore } from '../../../src/domain/simulator.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSimulatorStore } from '../../../src/store/simulator.ts';
import type { ChainHarness, ChainWorld } from '../harness.ts';
import { OwnKeys } from '../own-keys.ts';
import { NO_ACCOUNTS } from '../../_helpers/no-accounts.ts';

const AMOUNTS: Readonly<Record<Coin, bigint>> = {
  BTC: 1_000_000n,
  ETH: 10n ** 17n,
  LTC: 10_000_000n,
  SOL: 500_000_000n,
};

const BAD_ADDRESSES: Readonly<Record<Coin, Readonly<Record<string, string>>>> = {
  BTC: {
    'of mainnet': 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'of regtest': 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
    'of Litecoin': 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea',
    'with a wrong checksum': 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsq',
    'in mixed case': 'tb1qw508D6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'of legacy mainnet': '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    'that is empty': '',
  },
  LTC: {
    'of mainnet': 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea',
    'of Bitcoin testnet': 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'of MWEB':
      'ltcmweb1qqv0klk6p30swkrhvrz6xqc0ydqzk4xd4dgcsdntt70ctzkjff5d95qk9mvv9agzfhjmksj6ajumvr5tyz9kdgpuyeqh5wngnse08m9g2dgmyxqsz',
    'that is empty': '',
  },
  ETH: {
    'with a wrong checksum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    'without 0x': '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    'that is too short': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA',
    'in ICAP': 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36',
    'of nobody': `0x${'0'.repeat(40)}`,
    'that is empty': '',
  },
  SOL: {
    'of 31 bytes': '7DUeBUtEcb7nujVZRJmeBju3X1mo6PpnWNtJ9EBhdY',
    'with letters outside base58': '0OIl5sYaDGqkAMDwZ6KLG4i9VZ2yGCpZwFBUPmMhtYy',
    'of the system program': '1'.repeat(32),
    'of Ethereum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    'that is empty': '',
  },
};

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

async function startWorld(coin: Coin): Promise<ChainWorld> {
  const database = await openDatabase(':memory:');
  const store = createSimulatorStore(database.db);
  let down = false;
  const breakable: SimulatorStore = {
    transact: async (coin, work) => {
      if (down) throw new Error('the disk is gone');
      return store.transact(coin, work);
    },
  };
  const keys = new OwnKeys(coin, 'sandbox', 'testnet');
  const simulator = (index: Parameters<ChainWorld['createAdapter']>[0]) =>
    createSimulator({
      coin,
      store: breakable,
      index,
      clock: { now: () => Date.now() },
      logger: silent,
      blockIntervalMs: 3_600_000,
    });
  const none = new Set<string>();
  const { control } = simulator({ ...NO_ACCOUNTS, watched: async () => none, ownOutputs: async () => none });
  await control.mine(10);
  return {
    createAdapter: (index) => simulator(index).adapter,
    keys,
    amount: AMOUNTS[coin],
    newAddress: () => keys.newAddress(),
    strangerAddress: async () => new OwnKeys(coin, 'sandbox', 'testnet').newAddress().address,
    pay: async (outputs) => control.pay(outputs),
    mine: async (blocks) => void (await control.mine(blocks)),
    reorg: async ({ depth, fate, txid }) => control.reorg({ depth, fate, txids: [txid] }),
    replace: async (txid) => control.replace(txid),
    feeOf: async (txid) => feeOf(store, coin, txid),
    outage: {
      begin: async () => void (down = true),
      end: async () => void (down = false),
    },
    badAddresses: { ...BAD_ADDRESSES[coin], 'of random bytes': randomBytes(20).toString('base64') },
    stop: async () => database.close(),
  };
}

async function feeOf(store: SimulatorStore, coin: Coin, txid: string): Promise<bigint> {
  return store.transact(coin, async (ledger) => {
    const transaction = await ledger.transaction(txid);
    if (transaction === null) throw new Error(`${txid} is not on the chain`);
    let fee = 0n;
    for (const input of transaction.inputs) {
      fee += (await ledger.transaction(input.txid))?.outputs[input.index]?.amount ?? 0n;
    }
    for (const output of transaction.outputs) fee -= output.amount;
    return fee;
  });
}

export const harnesses: readonly ChainHarness[] = COINS.map((coin) => ({
  name: `simulated ${coin}`,
  coin,
  available: true,
  wired: false,
  start: async () => startWorld(coin),
}));
