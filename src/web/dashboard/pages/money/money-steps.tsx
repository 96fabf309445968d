import { useState } from 'react';
import { api } from '../../api/client.ts';
import { doneOnce } from '../../api/idempotency-keys.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { Mode } from '../../api/mode.ts';
import type { Coin } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { isMore, add } from '../../format/decimal.ts';
import type { Price } from '../../ui/money-lines.tsx';
import { MoneyPreview } from './money-preview.tsx';

/** An order that sends coins from the wallet. */
export interface MoneyOrder {
  readonly coin: Coin;
  readonly destination: string;
  readonly amount: string;
  readonly subtractFee: boolean;
}

/** An order from the wallet page: of one recipient, or of several; from chosen outputs, or from any. */
export interface SendOrder extends Partial<MoneyOrder> {
  readonly coin: Coin;
  readonly subtractFee: boolean;
  readonly outputs?: { readonly destination: string; readonly amount: string }[];
  /** `own`, or the id of a watched account. */
  readonly from?: string;
  readonly inputs?: { readonly txHash: string; readonly index: number }[];
}

/** A fee that the user has seen and confirmed. `maxFee`: set only if the fee exceeds the usual limit. */
type Agreed<O> = O & { readonly maxFee?: string };

/**
 * The steps of every action that moves money: the order is typed, its costs are previewed, then it is placed once.
 * `purpose` distinguishes equal orders for different things, and includes the mode of the wallet that pays.
 */
export function useMoneySteps<T, O extends SendOrder = MoneyOrder>(
  purpose: { readonly path: string; readonly paymentId?: string; readonly mode: Mode },
  place: (order: Agreed<O>, idempotencyKey: string) => Promise<T>,
  onDone?: () => void,
) {
  const merchantId = useShopId();
  const [order, setOrder] = useState<O | null>(null);
  const [last, setLast] = useState<O | null>(null);
  const estimate = useAct(async (wanted: O) => {
    const answer = await api('POST', '/merchant/wallet/estimate-fee', {
      query: { merchantId },
      body: { ...wanted, mode: purpose.mode },
    });
    setOrder(wanted);
    return answer;
  });
  const placed = useAct(
    (wanted: Agreed<O>) => doneOnce({ ...purpose, merchantId, ...wanted }, (key) => place(wanted, key)),
    onDone,
  );
  const look = (wanted: O): void => {
    setLast(wanted);
    placed.reset();
    estimate.mutate(wanted);
  };
  const preview =
    order !== null && estimate.data !== undefined ? { order, costs: withLimit(estimate.data) } : null;
  return { last, look, estimate, preview, placed, back: () => setOrder(null) };
}

/** The costs with a fee limit that covers them. `isDear`: the usual limit does not. */
function withLimit<E extends { readonly fee: string; readonly maxFee: string }>(costs: E) {
  const isDear = isMore(costs.fee, costs.maxFee);
  // Fees change between preview and order, and a stuck send must be able to raise its fee.
  return { ...costs, maxFee: isDear ? add([costs.fee, costs.fee]) : costs.maxFee, isDear };
}

/** The preview, and the button that places the order. */
export function ConfirmMoney<T, O extends SendOrder>(props: {
  readonly steps: Pick<ReturnType<typeof useMoneySteps<T, O>>, 'preview' | 'placed' | 'back'>;
  readonly label: string;
  readonly look: 'primary' | 'danger';
  /** Price of one coin, if known. */
  readonly price?: Price | undefined;
}) {
  const { preview, placed, back } = props.steps;
  if (preview === null) return null;
  const { order, costs } = preview;
  const agreed = costs.isDear ? { ...order, maxFee: costs.maxFee } : order;
  return (
    <div className="grid gap-4">
      <MoneyPreview order={order} estimate={costs} price={props.price} />
      {placed.error !== null && <Problem error={placed.error} />}
      <div className="flex flex-wrap gap-2">
        <Button look={props.look} busy={placed.isPending} onClick={() => placed.mutate(agreed)}>
          {props.label}
        </Button>
        <Button disabled={placed.isPending} onClick={back}>
          {t('Back')}
        </Button>
      </div>
    </div>
  );
}
