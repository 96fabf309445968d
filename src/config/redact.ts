import { Secret } from './secret.ts';
import type { Config } from './config.ts';

/** The configuration as plain JSON for the log line at start: secrets shown as `[secret]`. */
export function redactedConfig(config: Config): object {
  return JSON.parse(
    JSON.stringify(config, (key, value: unknown) => {
      // Public, but a page of the log; the file is named next to them.
      if (key === 'certificates') return undefined;
      if (typeof value === 'bigint') return value.toString();
      return value instanceof Secret ? value.toString() : value;
    }),
  ) as object;
}
