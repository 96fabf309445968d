import { SOLANA_FINALIZED_DEPTH } from '../confirmations.ts';
import type { AccountCoin } from './definition.ts';

export const SOLANA: AccountCoin = {
  code: 'SOL',
  name: 'Solana',
  decimals: 9,
  atom: 'lamport',
  supply: 1_000_000_000n,
  fitsInt64: true,
  slip44: 501,
  offeredBit: 8,
  family: 'solana',
  spending: 'many-accounts',
  // As many as fit one transaction (1,232 bytes) with their signatures and addresses.
  accountsPerSend: 9,
  expires: true,
  // A thousand micro-lamports per unit are one lamport per 1,000 units.
  feeUnit: { name: 'micro-lamports per compute unit', decimals: 0, perRate: 1_000n },
  // Block times are an average over many validators' clocks.
  blocks: { times: 'exact', oldestTipMs: 2 * 60_000, aheadMs: 2 * 60_000, silenceMs: 2 * 60_000 },
  confirmations: 'finalized',
  finality: { finalized: SOLANA_FINALIZED_DEPTH },
  rates: {
    coingecko: 'solana',
    kraken: { symbol: 'SOL', currencies: ['USD', 'EUR'] },
    sandboxUsd: 200,
  },
  // 5,000 lamports per signature, counted as 1,000 units; a new account must hold at least its rent minimum.
  sandbox: { feeRate: 5_000n, dust: 1n, minimumPayment: 890_880n },
  example: { address: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', balance: '0' },
};
