import { COINS } from '../domain/coins.ts';
import type { Explorers } from '../domain/explorers.ts';
import type { ExplorersConfig } from './config.ts';
import { coinSetting } from './setting.ts';
import type { Values } from './settings.ts';

/** Block explorers, of the coins that have a template. */
export function explorersConfig(values: Values): ExplorersConfig {
  const found = COINS.flatMap((coin) => {
    const tx = values[coinSetting(coin, 'ExplorerTxUrl')] ?? null;
    const address = values[coinSetting(coin, 'ExplorerAddressUrl')] ?? null;
    return tx === null && address === null ? [] : [[coin, { tx, address }] as const];
  });
  return { byCoin: Object.fromEntries(found) as Explorers, forPayers: values.explorersForPayers };
}
