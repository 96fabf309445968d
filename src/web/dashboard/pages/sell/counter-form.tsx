import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShop, useShopId } from '../../api/hooks.ts';
import type { Counter } from '../../contract/types.ts';
import { fiat } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Check, Currencies, Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';

const FAVOURITES_MAX = 6;
const LISTED = 100;

interface EditProps {
  /** Null for a new one. */
  readonly counter: Counter | null;
  readonly onDone: (counter: Counter) => void;
}

/** A new counter, or changes to one; its currency cannot change. */
export function EditCounter({ counter, onDone }: EditProps) {
  const merchantId = useShopId();
  const shop = useShop();
  const [currency, setCurrency] = useState(counter?.currency ?? shop?.currency ?? 'EUR');
  const [favourites, setFavourites] = useState<readonly string[]>(counter?.favourites ?? []);
  const save = useAct(
    ({ name, tips }: { name: string; tips: string }) => {
      const body = { name, tips: parseTips(tips) ?? [], favourites: [...favourites] };
      return counter === null
        ? api('POST', '/merchant/counter/create', { query: { merchantId }, body: { ...body, currency } })
        : api('PATCH', '/merchant/counter/edit', { body: { ...body, counterId: counter.id } });
    },
    (saved) => onDone(saved),
  );
  return (
    <Form
      fields={['name', 'currency', 'tips']}
      submit={counter === null ? t('Create counter') : t('Save')}
      busy={save.isPending}
      error={save.error}
      check={({ tips }) =>
        parseTips(tips) === null
          ? { tips: t('Up to four whole numbers from 1 to 50, ascending, such as 5, 10, 15.') }
          : {}
      }
      onSubmit={(values) => save.mutate(values)}
    >
      <Field
        label={t('Name')}
        name="name"
        required
        maxLength={60}
        placeholder={t('Till 1')}
        defaultValue={counter?.name ?? ''}
      />
      {counter === null && (
        <>
          <Field
            label={t('Currency')}
            name="currency"
            list="currencies"
            required
            maxLength={3}
            autoCapitalize="characters"
            value={currency}
            onChange={(event) => {
              setCurrency(event.target.value.toUpperCase());
              setFavourites([]);
            }}
          />
          <Currencies />
        </>
      )}
      <Field
        label={t('Tips in percent')}
        name="tips"
        inputMode="numeric"
        hint={t('The customer chooses one before paying, or another amount. Empty: no tips.')}
        placeholder="5, 10, 15"
        defaultValue={(counter?.tips ?? []).join(', ')}
      />
      <Favourites currency={currency} chosen={favourites} onChoose={setFavourites} />
    </Form>
  );
}

/** Null if the text is not a list of up to four ascending percentages. */
function parseTips(text: string): number[] | null {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== '');
  const tips = parts.map(Number);
  const isValid = tips.every(
    (tip, index) => Number.isInteger(tip) && tip >= 1 && tip <= 50 && tip > (tips[index - 1] ?? 0),
  );
  return isValid && tips.length <= 4 ? tips : null;
}

function Favourites(props: {
  readonly currency: string;
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
}) {
  const { currency, chosen, onChoose } = props;
  const merchantId = useShopId();
  const products = useApi('/merchant/product/list', { merchantId, active: true, limit: LISTED });
  const prices = useApi('/merchant/price/list', { merchantId, active: true, limit: LISTED });
  const names = new Map(
    products.data?.products.filter(({ recurring }) => !recurring).map(({ id, name }) => [id, name]),
  );
  const offered = (prices.data?.prices ?? []).flatMap((price) => {
    const name = names.get(price.productId);
    return price.currency !== currency || name === undefined ? [] : [{ ...price, name }];
  });
  if (offered.length === 0) return null;
  const isFull = chosen.length >= FAVOURITES_MAX;
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm font-medium">{t('Favourites, up to six')}</legend>
      {offered.map(({ id, name, amount }) => {
        const isChosen = chosen.includes(id);
        return (
          <Check
            key={id}
            label={t('{name}, {amount}', { name, amount: fiat(amount, currency) })}
            checked={isChosen}
            disabled={isFull && !isChosen}
            onChange={() => onChoose(isChosen ? chosen.filter((one) => one !== id) : [...chosen, id])}
          />
        );
      })}
    </fieldset>
  );
}
