import type { z } from 'zod';
import type { Coin } from '../domain/coins.ts';

/** One setting: its path in the YAML, its variable, its parser, its default. */
export interface Setting {
  /** Dotted path in the YAML file; null for secrets, which come from the environment or a file of their own. */
  readonly yaml: string | null;
  readonly env: string;
  readonly schema: z.ZodType;
  /** As written in the file; undefined: optional without a default. */
  readonly fallback: string | number | undefined;
  /** Its value never appears in a message. */
  readonly isSecret: boolean;
}

export function setting<S extends z.ZodType, F extends string | number>(
  yaml: string,
  env: string,
  schema: S,
  fallback: F,
) {
  return { yaml, env, schema, fallback, isSecret: false } as const;
}

export function optional<S extends z.ZodType>(yaml: string, env: string, schema: S) {
  return { yaml, env, schema, fallback: undefined, isSecret: false } as const;
}

export function secret<S extends z.ZodType>(yaml: string | null, env: string, schema: S) {
  return { yaml, env, schema, fallback: undefined, isSecret: true } as const;
}

/** One setting for each of several coins, named by the coin's code: `btcRpcUrl`. */
export function each<C extends Coin, Suffix extends string, S extends Setting>(
  coins: readonly C[],
  suffix: Suffix,
  make: (coin: C) => S,
): { readonly [K in C as SettingOf<K, Suffix>]: S } {
  return Object.fromEntries(coins.map((coin) => [coinSetting(coin, suffix), make(coin)])) as {
    [K in C as SettingOf<K, Suffix>]: S;
  };
}

type SettingOf<C extends Coin, Suffix extends string> = `${Lowercase<C>}${Suffix}`;

/** The name of a coin's setting. */
export function coinSetting<C extends Coin, Suffix extends string>(
  coin: C,
  suffix: Suffix,
): SettingOf<C, Suffix> {
  return `${coin.toLowerCase()}${suffix}` as SettingOf<C, Suffix>;
}
