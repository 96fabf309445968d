import type { Data } from '../../contract/contract.ts';
import type { Coin } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { CoinSum, MoneyLines, type Price } from '../../ui/money-lines.tsx';
import { SendSource } from './send-source.tsx';
import { Recipients } from './recipients.tsx';

type Estimate = Data<'POST', '/merchant/wallet/estimate-fee'>;

/** Where an order sends coins. */
interface SentTo {
  readonly coin: Coin;
  readonly destination?: string;
  readonly from?: string;
  readonly outputs?: readonly { readonly destination: string; readonly amount: string }[];
}

/** The preview of an irreversible send: destination, amount that arrives, and costs. */
export function MoneyPreview(props: {
  readonly order: SentTo;
  /** `maxFee`: the limit of the fee. */
  readonly estimate: Estimate & { readonly isDear: boolean };
  /** Price of one coin, if known. */
  readonly price?: Price | undefined;
}) {
  const { order, estimate } = props;
  const lines = [
    [t('They receive'), estimate.amount],
    [t('Network fee'), estimate.fee],
    [t('Network fee at most'), estimate.maxFee],
    [t('Total'), estimate.total],
  ] as const;
  return (
    <>
      {order.outputs === undefined ? (
        <p className="text-sm">
          {parts('To {address}', {
            address: (
              <code className="font-semibold" aria-label={order.destination}>
                {inGroups(order.destination ?? '')}
              </code>
            ),
          })}
        </p>
      ) : (
        <Recipients outputs={order.outputs} coin={order.coin} />
      )}
      {order.from !== undefined && <SendSource from={order.from} coin={order.coin} />}
      <MoneyLines
        of={lines.map(([name, amount]) => [
          name,
          <CoinSum key={name} amount={amount} coin={order.coin} price={props.price} />,
        ])}
      />
      {estimate.isDear && (
        <p className="text-sm text-warn">{t('The network fee takes a large part of this amount.')}</p>
      )}
      <p className="text-sm text-warn">{t('Please compare the address: sent coins cannot be recovered.')}</p>
    </>
  );
}

/** Groups of four characters, which are easier to compare; copied without the spaces. */
function inGroups(address: string) {
  const groups = address.match(/.{1,4}/g) ?? [];
  return groups.map((group, at) => (
    <span key={`${at}${group}`} className="me-1.5 inline-block">
      {group}
    </span>
  ));
}
