import { useState, type ChangeEvent } from 'react';
import { api, type ApiError } from '../../api/client.ts';
import { changedFields } from '../../api/changed-fields.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card } from '../../ui/basics.tsx';
import { fieldWords } from '../../ui/field-words.ts';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { BASE_PATH } from '../../../base-path.ts';

const USUAL_COLOR = '#0b6e4f';
const LOGO_MAX_BYTES = 65_536;

type Changes = Omit<Body<'PATCH', '/merchant/edit'>, 'merchantId'>;

/** The shop's appearance on payment pages: logo, colour and contact. */
export function Branding({ shop }: { shop: Shop }) {
  const save = useAct((changes: Changes) =>
    api('PATCH', '/merchant/edit', { body: { ...changes, merchantId: shop.id } }),
  );
  const [color, setColor] = useState(shop.accentColor ?? USUAL_COLOR);
  const { error } = save;
  return (
    <Card title={t('Branding')}>
      <Preview shop={shop} color={color} />
      <Logo shop={shop} error={error} busy={save.isPending} onChange={(logo) => save.mutate({ logo })} />
      <Form
        fields={['accentColor', 'supportContact']}
        submit={t('Save')}
        busy={save.isPending}
        error={error?.fields['logo'] === undefined ? error : null}
        onSubmit={({ accentColor, supportContact }) =>
          save.mutate({
            ...changedFields({ supportContact }, shop),
            accentColor: accentColor === USUAL_COLOR ? null : accentColor,
          })
        }
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Branding saved')}
            </span>
          )
        }
      >
        <Field
          label={t('Colour')}
          name="accentColor"
          type="color"
          value={color}
          onChange={({ target }) => setColor(target.value)}
          hint={t('Made darker, or lighter in dark mode, where it could not be read')}
        />
        <Field
          label={t('Support contact')}
          name="supportContact"
          placeholder="help@shop.example"
          hint={t('An e-mail address or an https address, shown to payers')}
          defaultValue={shop.supportContact ?? ''}
        />
      </Form>
    </Card>
  );
}

/** An approximate preview; the payment pages adjust the colour for contrast. */
function Preview({ shop, color }: { shop: Shop; color: string }) {
  return (
    <div className="mb-4 flex items-center gap-3 rounded-xl border border-line p-3" aria-hidden="true">
      {shop.logoPath === null ? (
        <span className="grid size-11 place-items-center rounded-xl" style={{ border: `3px solid ${color}` }}>
          <b>{String.fromCodePoint(shop.name.codePointAt(0) ?? 0x2022).toUpperCase()}</b>
        </span>
      ) : (
        <img src={BASE_PATH + shop.logoPath} alt="" className="h-11 max-w-24 rounded-lg object-contain" />
      )}
      <span className="grow text-sm font-semibold">{shop.name}</span>
      <span className="h-9 w-24 rounded-xl" style={{ background: color }} />
    </div>
  );
}

interface LogoProps {
  readonly shop: Shop;
  readonly error: ApiError | null;
  readonly busy: boolean;
  readonly onChange: (logo: string | null) => void;
}

/** Uploaded as soon as a file is chosen. */
function Logo({ shop, error, busy, onChange }: LogoProps) {
  const [problem, setProblem] = useState<string>();
  const refused = error?.fields['logo'];
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = target.files?.[0];
    if (file === undefined) return;
    const isTooBig = file.size > LOGO_MAX_BYTES;
    setProblem(isTooBig ? t('The image must be at most 64 KiB') : undefined);
    if (!isTooBig) onChange(await toBase64(file));
  };
  return (
    <div className="mb-4 grid gap-2">
      <Field
        label={t('Logo')}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        hint={t('PNG, JPEG or WebP, at most 64 KiB')}
        disabled={busy}
        onChange={(event) => void choose(event)}
        error={problem ?? (refused === undefined ? undefined : fieldWords(refused).text)}
      />
      {shop.logoPath !== null && (
        <Button look="quiet" busy={busy} onClick={() => onChange(null)}>
          {t('Remove the logo')}
        </Button>
      )}
    </div>
  );
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
}
