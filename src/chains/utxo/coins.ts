import { BITCOIN } from './bitcoin.ts';
import type { UtxoCoin, UtxoCoinCode } from './coin.ts';
import { LITECOIN } from './litecoin.ts';

export const UTXO_COINS: Readonly<Record<UtxoCoinCode, UtxoCoin>> = { BTC: BITCOIN, LTC: LITECOIN };
