/** Genesis blocks rebuilt from what each chain's source publishes: time, nonce, bits, coinbase. */
import { doubleSha, encodeBlock, encodeTransaction, type TestBlock, type TestTransaction } from '../../unit/chains/utxo/raw-chain.ts';

interface GenesisRecipe {
  readonly message: string;
  readonly key: string;
  readonly time: number;
  readonly nonce: number;
  readonly bits: number;
  /** 50 coins where none is given. */
  readonly reward?: bigint;
}

const SATOSHI = {
  message: 'The Times 03/Jan/2009 Chancellor on brink of second bailout for banks',
  key: '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f',
};
const LITECOIN = {
  message: 'NY Times 05/Oct/2011 Steve Jobs, Apple’s Visionary, Dies at 56',
  key: '040184710fa689ad5023690c80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c45070ac7b03a9',
};

export const GENESIS: Readonly<Record<string, GenesisRecipe>> = {
  'BTC main': { ...SATOSHI, time: 1231006505, nonce: 2083236893, bits: 0x1d00ffff },
  'BTC test': { ...SATOSHI, time: 1296688602, nonce: 414098458, bits: 0x1d00ffff },
  'BTC testnet4': {
    message: '03/May/2024 000000000000000000001ebd58c244970b3aa9d783bb001011fbe8ea8e98e00e',
    key: '00'.repeat(33),
    time: 1714777860,
    nonce: 393743547,
    bits: 0x1d00ffff,
  },
  'BTC signet': { ...SATOSHI, time: 1598918400, nonce: 52613770, bits: 0x1e0377ae },
  'BTC regtest': { ...SATOSHI, time: 1296688602, nonce: 2, bits: 0x207fffff },
  'LTC main': { ...LITECOIN, time: 1317972665, nonce: 2084524493, bits: 0x1e0ffff0 },
  'LTC test': { ...LITECOIN, time: 1486949366, nonce: 293345, bits: 0x1e0ffff0 },
  'LTC regtest': { ...LITECOIN, time: 1296688602, nonce: 0, bits: 0x207fffff },
};

/** A block as the chain's own CreateGenesisBlock makes it. */
export function genesisBlock(recipe: GenesisRecipe): TestBlock & { readonly coinbase: TestTransaction } {
  const text = Buffer.from(recipe.message, 'utf8');
  const length = text.length > 75 ? Buffer.from([0x4c, text.length]) : Buffer.from([text.length]);
  const key = Buffer.from(recipe.key, 'hex');
  const coinbase: TestTransaction = {
    inputs: [
      {
        txid: '00'.repeat(32),
        index: 0xffffffff,
        script: Buffer.concat([Buffer.from('04ffff001d0104', 'hex'), length, text]),
      },
    ],
    outputs: [
      {
        amount: recipe.reward ?? 5_000_000_000n,
        script: Buffer.concat([Buffer.from([key.length]), key, Buffer.from([0xac])]),
      },
    ],
  };
  // The only differences to a modern transaction: version 1 and a final sequence.
  const raw = encodeTransaction(coinbase);
  raw.writeInt32LE(1, 0);
  raw.writeUInt32LE(0xffffffff, 4 + 1 + 36 + 1 + (coinbase.inputs[0]?.script?.length ?? 0));
  return {
    ...encodeBlock({
      transactions: [raw],
      txids: [txidOfRaw(raw)],
      parentHash: '00'.repeat(32),
      version: 1,
      time: recipe.time,
      bits: recipe.bits,
      nonce: recipe.nonce,
    }),
    coinbase,
  };
}

function txidOfRaw(raw: Buffer): string {
  return Buffer.from(doubleSha(raw).toReversed()).toString('hex');
}
