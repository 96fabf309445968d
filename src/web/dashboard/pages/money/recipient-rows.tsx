import { useState, type ClipboardEvent } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { Field } from '../../ui/form.tsx';
import { parseRecipients, type TypedRecipient } from './parse-recipients.ts';

/** As the API allows. */
const MOST = 100;

interface Row extends TypedRecipient {
  readonly key: string;
}

const toRow = (typed: TypedRecipient): Row => ({ ...typed, key: crypto.randomUUID() });
const BLANK: TypedRecipient = { destination: '', amount: '' };

/** The recipients of a send as they are typed or pasted. */
export function useRecipientRows(before: readonly TypedRecipient[]) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    (before.length === 0 ? [BLANK, BLANK] : before).map(toRow),
  );
  return {
    rows,
    add: () => setRows([...rows, toRow(BLANK)]),
    edit: (key: string, typed: Partial<TypedRecipient>) =>
      setRows(rows.map((row) => (row.key === key ? { ...row, ...typed } : row))),
    remove: (key: string) => setRows(rows.filter((row) => row.key !== key)),
    /** Pasted recipients take the place of a row and of all blank ones. */
    paste: (key: string, pasted: readonly TypedRecipient[]) =>
      setRows(
        rows
          .flatMap((row) => (row.key === key ? pasted.map(toRow) : [row]))
          .filter(({ destination, amount }) => destination + amount !== '')
          .slice(0, MOST),
      ),
  };
}

export function RecipientRows({ of, coin }: { of: ReturnType<typeof useRecipientRows>; coin: string }) {
  const { rows, add, edit, remove, paste } = of;
  const pasted = (key: string) => (event: ClipboardEvent<HTMLInputElement>) => {
    const found = parseRecipients(event.clipboardData.getData('text'));
    if (found.length === 0) return;
    event.preventDefault();
    paste(key, found);
  };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 text-sm text-soft">
        {t(
          'Paste lines of a table with address and amount into an address field to fill in several at once.',
        )}
      </legend>
      <ol className="grid gap-4">
        {rows.map((row, at) => (
          <li key={row.key} className="grid gap-2 border-b border-line pb-4">
            <Field
              label={t('Address {number}', { number: at + 1 })}
              name={`outputs.${at}.destination`}
              value={row.destination}
              onChange={({ target }) => edit(row.key, { destination: target.value })}
              autoComplete="off"
              spellCheck={false}
              onPaste={pasted(row.key)}
              required
            />
            <div className="flex items-end gap-2">
              <div className="grow">
                <Field
                  label={t('Amount {number} in {coin}', { number: at + 1, coin })}
                  name={`outputs.${at}.amount`}
                  value={row.amount}
                  onChange={({ target }) => edit(row.key, { amount: target.value })}
                  inputMode="decimal"
                  autoComplete="off"
                  required
                />
              </div>
              {rows.length > 1 && (
                <Button
                  look="quiet"
                  aria-label={t('Remove recipient {number}', { number: at + 1 })}
                  onClick={() => remove(row.key)}
                >
                  {t('Remove')}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
      <div>
        <Button disabled={rows.length >= MOST} onClick={add}>
          {t('Add a recipient')}
        </Button>
      </div>
    </fieldset>
  );
}
