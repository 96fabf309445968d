import { useState } from 'react';
import { parseAddresses, type ParsedAddresses } from './parse-addresses.ts';
import { api, type ApiError } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Field, TextArea } from '../../ui/form.tsx';

export type ListCoin = 'ETH' | 'SOL';

/** First addresses that are shown, and lines that one message names. */
const SHOWN = 5;
const LINES_SHOWN = 12;

/** Imports addresses of a cold wallet, pasted or from a CSV file. */
export function ListForm({ coin }: { coin: ListCoin }) {
  const merchantId = useShopId();
  const [text, setText] = useState('');
  const parsed = parseAddresses(coin, text);
  const { addresses } = parsed;
  const act = useAct(async () =>
    api('POST', '/merchant/wallet/watch', { body: { merchantId, coin, addresses: [...addresses] } }),
  );
  const isWhole = parsed.invalid.length === 0 && parsed.duplicate.length === 0;
  const change = (next: string): void => {
    act.reset();
    setText(next);
  };
  const readFile = useAct(async (file: File) => change(await file.text()));
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        act.mutate(undefined, { onSuccess: () => setText('') });
      }}
    >
      <TextArea
        label={t('Addresses of your wallet, one per line')}
        hint={t('CSV is fine: the first column counts, a header and labels are ignored.')}
        value={text}
        rows={6}
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => change(target.value)}
      />
      <Field
        label={t('Or choose a CSV file')}
        type="file"
        accept=".csv,.txt,.tsv"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) readFile.mutate(file);
        }}
      />
      {text.trim() !== '' && <Summary of={parsed} />}
      {act.error !== null && <Refused error={act.error} lines={parsed.lines} />}
      <div>
        <Button
          type="submit"
          look="primary"
          busy={act.isPending}
          disabled={!isWhole || addresses.length === 0}
        >
          {t('Show its addresses')}
        </Button>
      </div>
    </form>
  );
}

function Summary({ of: { addresses, invalid, duplicate } }: { of: ParsedAddresses }) {
  return (
    <div role="status" className="grid gap-1 text-sm">
      <p className="font-semibold">{t('Addresses read: {count}', { count: String(addresses.length) })}</p>
      <AddressLines
        first={addresses.slice(0, SHOWN)}
        last={addresses.length > SHOWN ? addresses.at(-1) : undefined}
      />
      {invalid.length > 0 && (
        <p className="text-stop">
          {t('Lines without a valid address: {lines}', { lines: listLines(invalid) })}
        </p>
      )}
      {duplicate.length > 0 && (
        <p className="text-stop">
          {t('Lines with an address listed before: {lines}', { lines: listLines(duplicate) })}
        </p>
      )}
    </div>
  );
}

/** The first addresses and the last one, to be compared with those of the wallet. */
export function AddressLines({ first, last }: { first: readonly string[]; last: string | undefined }) {
  return (
    <ul className="money grid gap-1.5 text-balance break-all">
      {first.map((address) => (
        <li key={address}>{address}</li>
      ))}
      {last !== undefined && !first.includes(last) && (
        <>
          <li aria-hidden="true">…</li>
          <li>{last}</li>
        </>
      )}
    </ul>
  );
}

/** What the server refused, by the lines of the text. */
function Refused({ error, lines }: { error: ApiError; lines: readonly number[] }) {
  const refused = Object.keys(error.fields).flatMap((field) => {
    const [, index] = /^addresses\.(\d+)$/.exec(field) ?? [];
    return lines[Number(index)] ?? [];
  });
  return (
    <>
      <Problem error={error} />
      {refused.length > 0 && (
        <p className="text-sm text-stop">{t('Refused lines: {lines}', { lines: listLines(refused) })}</p>
      )}
    </>
  );
}

function listLines(lines: readonly number[]): string {
  const rest = lines.length - LINES_SHOWN;
  return `${lines.slice(0, LINES_SHOWN).join(', ')}${rest > 0 ? ` … (+${rest})` : ''}`;
}
