import type { AccountCoin } from './definition.ts';

export const ETHEREUM: AccountCoin = {
  code: 'ETH',
  name: 'Ethereum',
  decimals: 18,
  atom: 'wei',
  supply: 150_000_000n,
  fitsInt64: false,
  slip44: 60,
  offeredBit: 4,
  family: 'ethereum',
  spending: 'one-account',
  accountsPerSend: 1,
  expires: false,
  feeUnit: { name: 'gwei', decimals: 12, perRate: 1n },
  blocks: { times: 'exact', oldestTipMs: 2 * 60_000, aheadMs: 30_000, silenceMs: 5 * 60_000 },
  confirmations: 12,
  finality: { safe: 'safe', finalized: 'finalized' },
  rates: {
    coingecko: 'ethereum',
    kraken: { symbol: 'ETH', currencies: ['USD', 'EUR', 'GBP', 'CAD', 'JPY', 'CHF', 'AUD'] },
    sandboxUsd: 4_000,
  },
  sandbox: { feeRate: 2_000_000_000_000n, dust: 1n, minimumPayment: 1n },
  example: { address: '0x52908400098527886E0F7030069857D2E4169EE7', balance: '0.4' },
};
