import { useApi, useShopId } from '../../api/hooks.ts';
import type { Mode } from '../../api/mode.ts';
import type { Coin } from '../../contract/types.ts';
import { add } from '../../format/decimal.ts';
import { formatCoins, short } from '../../format/format.ts';
import { plural, t } from '../../i18n/t.ts';
import { Loaded } from '../../ui/basics.tsx';

/** Outputs that are offered, newest first. */
const OFFERED = 100;

export interface ChosenOutput {
  readonly txHash: string;
  readonly index: number;
}

const outputKey = ({ txHash, index }: ChosenOutput): string => `${txHash}:${index}`;

/** Coin control: the outputs that a send spends, for users who choose them. None chosen: the wallet chooses. */
export function ChooseOutputs(props: {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly chosen: readonly ChosenOutput[];
  readonly onChoose: (chosen: readonly ChosenOutput[]) => void;
}) {
  const { coin, mode, chosen, onChoose } = props;
  const merchantId = useShopId();
  const query = { merchantId, mode, coin, page: '1', limit: OFFERED } as const;
  const listed = useApi('/merchant/wallet/outputs', query);
  const keys = new Set(chosen.map(outputKey));
  const isChosen = (output: ChosenOutput): boolean => keys.has(outputKey(output));
  return (
    <Loaded of={listed}>
      {({ outputs }) => (
        <fieldset className="grid gap-2 text-sm">
          <legend className="mb-2 text-soft">
            {chosen.length === 0
              ? t('The send spends the chosen outputs and no others. The rest returns to your wallet.')
              : plural(chosen.length, '{count} output: {amount} {coin}', '{count} outputs: {amount} {coin}', {
                  amount: formatCoins(add(outputs.filter(isChosen).map(({ amount }) => amount))),
                  coin,
                })}
          </legend>
          <ul
            className="max-h-56 divide-y divide-line overflow-y-auto rounded-xl border border-line"
            tabIndex={0}
          >
            {outputs
              .filter(({ spendable, hold }) => spendable || hold === 'dust')
              .map((output) => (
                <li key={outputKey(output)}>
                  <label className="flex flex-wrap items-center gap-x-3 px-3 py-2">
                    <input
                      type="checkbox"
                      checked={isChosen(output)}
                      onChange={({ target }) =>
                        onChoose(
                          target.checked
                            ? [...chosen, { txHash: output.txHash, index: output.index }]
                            : chosen.filter((one) => outputKey(one) !== outputKey(output)),
                        )
                      }
                    />
                    <code title={output.address}>{short(output.address, 6, 6)}</code>
                    <span className="money ms-auto whitespace-nowrap">{`${formatCoins(output.amount)} ${coin}`}</span>
                  </label>
                </li>
              ))}
          </ul>
        </fieldset>
      )}
    </Loaded>
  );
}
