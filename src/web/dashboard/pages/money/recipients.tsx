import type { Coin } from '../../contract/types.ts';
import { formatCoins } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

/** The recipients of a send to several addresses, each with its amount. */
export function Recipients({
  outputs,
  coin,
}: {
  outputs: readonly { readonly destination: string; readonly amount: string }[];
  coin: Coin;
}) {
  return (
    <section className="grid gap-1 text-sm">
      <h3 className="font-semibold">{t('{count} recipients', { count: outputs.length })}</h3>
      <ol className="max-h-60 divide-y divide-line overflow-y-auto" tabIndex={0}>
        {outputs.map(({ destination, amount }, at) => (
          // The same recipient may occur several times.
          <li key={at} className="flex flex-wrap justify-between gap-x-4 py-1.5">
            <code className="min-w-0 break-all">{destination}</code>
            <span className="ms-auto whitespace-nowrap tabular-nums">{`${formatCoins(amount)} ${coin}`}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
